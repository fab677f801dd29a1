// SPDX-License-Identifier: Apache-2.0

#include "server/guard/reason.h"

namespace clearance::server {

std::string_view NameOf(Reason reason) {
  switch (reason) {
#define CLEARANCE_SERVER_NAME(constant, name, text) \
  case Reason::constant:                            \
    return name;
    CLEARANCE_SERVER_REASONS(CLEARANCE_SERVER_NAME)
#undef CLEARANCE_SERVER_NAME
  }
  return "";
}

Reason ReasonOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kDeadlineExceeded:
      return Reason::kDeadline;
    case absl::StatusCode::kCancelled:
      return Reason::kCancelled;
    case absl::StatusCode::kUnavailable:
      return Reason::kUnavailable;
    default:
      return Reason::kInternal;
  }
}

}  // namespace clearance::server
