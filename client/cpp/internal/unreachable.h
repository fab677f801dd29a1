// SPDX-License-Identifier: Apache-2.0
//
// Errors of connections that could not be made, with what to do.

#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace clearance::client {

// The advice for an error that gRPC gave; "": none is known.
absl::string_view HintFor(const absl::Status& status);

// The error with the address and an advice. Errors of other kinds stay as they are.
absl::Status Unreachable(const absl::Status& status, const std::string& address);

}  // namespace clearance::client
