// SPDX-License-Identifier: Apache-2.0
//
// JSON as people write it by hand: what is no JSON is told by line and column, and a key that
// stands twice in one object is an error, since only one of the two would count.

#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "absl/status/statusor.h"

namespace clearance::server {

// INVALID_ARGUMENT naming the place.
absl::StatusOr<nlohmann::json> ParseStrictJson(std::string_view text);

}  // namespace clearance::server
