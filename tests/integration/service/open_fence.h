// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "server/observe/log.h"
#include "server/observe/metrics.h"
#include "server/schedule/accept_loop.h"

namespace clearance::testing {

// Opens the fence on a free port of the loopback. Defined only in a build with the fence.
std::unique_ptr<server::AcceptLoop> OpenFence(server::Metrics& metrics, server::Log* log);

}  // namespace clearance::testing
