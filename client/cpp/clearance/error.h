// SPDX-License-Identifier: Apache-2.0
//
// What a server says of anything it refuses: of a row, an item, a message or a call.

#ifndef CLEARANCE_ERROR_H_
#define CLEARANCE_ERROR_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"

namespace clearance::client {

// One refusal. `field` is the path in what was sent, `value` what was found there, `limit` what it
// has to keep to.
struct Error {
  std::uint32_t index = 0;  // row or item; 0 where a whole message is refused
  absl::StatusCode code = absl::StatusCode::kUnknown;
  std::string field;
  std::string value;
  std::string limit;
  std::string message;
};

// The detail that a status of this library carries, if the server gave one.
std::optional<Error> ErrorDetail(const absl::Status& status);

}  // namespace clearance::client

#endif  // CLEARANCE_ERROR_H_
