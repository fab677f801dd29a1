// SPDX-License-Identifier: Apache-2.0
//
// The source of the command line's bearer token. Never an argument: every user of a machine can
// read those.

#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace clearance::client {

// Returns the first line of the file; with an empty path the variable CLEARANCE_TOKEN; empty if
// there is neither. NOT_FOUND if the file cannot be read, INVALID_ARGUMENT if its first line has
// no token.
absl::StatusOr<std::string> ReadToken(const std::string& path);

}  // namespace clearance::client
