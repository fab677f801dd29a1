// SPDX-License-Identifier: Apache-2.0
//
// A caller of a fleet through the client library, which turns to another server by itself.

#pragma once

#include <atomic>
#include <string>

#include "tests/fleet/findings.h"

namespace clearance::fleet {

// Keeps one session of the library over all servers, with many messages under way: each must be
// answered, rightly, and once. Returns once told so and nothing is owed.
void KeepInFlight(const std::string& addresses, const std::atomic<bool>& is_over,
                  Findings* findings);

}  // namespace clearance::fleet
