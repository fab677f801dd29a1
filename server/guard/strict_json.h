// SPDX-License-Identifier: Apache-2.0
//
// JSON as people write it by hand: what is no JSON is told by line and column, and a key that
// stands twice in one object is an error, since only one of the two would count.

#ifndef CLEARANCE_SERVER_GUARD_STRICT_JSON_H_
#define CLEARANCE_SERVER_GUARD_STRICT_JSON_H_

#include <nlohmann/json.hpp>
#include <string_view>

#include "absl/status/statusor.h"

namespace clearance::server {

// INVALID_ARGUMENT naming the place.
absl::StatusOr<nlohmann::json> ParseStrictJson(std::string_view text);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_GUARD_STRICT_JSON_H_
