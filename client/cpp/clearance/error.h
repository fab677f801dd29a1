// SPDX-License-Identifier: Apache-2.0
//
// What a server says of anything it refuses: of a row, an item, a message or a call.

#ifndef CLEARANCE_ERROR_H_
#define CLEARANCE_ERROR_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace clearance::client {

// One refusal. `field` is the path in what was sent, `value` what was found there, `limit` what it
// must keep to.
struct Error {
  std::uint32_t index = 0;  // row or item; 0 where a whole message is refused
  absl::StatusCode code = absl::StatusCode::kUnknown;
  std::string field;
  std::string value;
  std::string limit;
  std::string message;
  std::optional<absl::Duration> retry_after = std::nullopt;  // repeat then, if there is such a time
};

// Names under which a call is found again in the logs of both sides.
struct CallIds {
  std::string request_id = {};   // 1 to 128 characters of letters, digits and `._:/+=-`
  std::string traceparent = {};  // of the W3C's Trace Context
};

// Those that the server took for the call or session that ended so, or for the one whose message
// was refused: the caller's where they had their form, else a request id of the server's. Empty
// where no server answered.
CallIds IdsOf(const absl::Status& status);

// The detail that a status of this library carries, if the server gave one.
std::optional<Error> ErrorDetail(const absl::Status& status);

}  // namespace clearance::client

#endif  // CLEARANCE_ERROR_H_
