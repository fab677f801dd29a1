// SPDX-License-Identifier: Apache-2.0
//
// Refusals: of a row, an item, a message or a call.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace clearance::client {

// One refusal. `field` is the path of the field, `value` the value that was sent, `limit` the
// allowed values.
struct Error {
  std::uint32_t index = 0;  // row or item; 0 where a whole message is refused
  absl::StatusCode code = absl::StatusCode::kUnknown;
  std::string reason = {};  // of proto/reasons.md; empty if this library refused by itself
  std::string field;
  std::string value;
  std::string limit;
  std::string message;
  std::optional<absl::Duration> retry_after = std::nullopt;  // repeat then, if there is such a time
};

// Names of a call in the logs of both sides.
struct CallIds {
  std::string request_id = {};   // 1 to 128 characters of letters, digits and `._:/+=-`
  std::string traceparent = {};  // of the W3C's Trace Context
};

// Returns the ids that the server used for the call, session or message that ended so. They are the
// caller's if well-formed, else the server's request id. Empty if no server answered.
CallIds IdsOf(const absl::Status& status);

// Returns the detail of a status of this library, if the server gave one. The message of the status
// has its field, value and limit too, for people; programs read them here.
std::optional<Error> ErrorDetail(const absl::Status& status);

}  // namespace clearance::client
