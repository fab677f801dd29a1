// SPDX-License-Identifier: Apache-2.0

#include "server/guard/reason.h"

#include <cstddef>

namespace clearance::server {

namespace {

constexpr std::string_view kNames[] = {
#define CLEARANCE_SERVER_NAME(constant, name, text) name,
    CLEARANCE_SERVER_REASONS(CLEARANCE_SERVER_NAME)
#undef CLEARANCE_SERVER_NAME
};

}  // namespace

std::string_view NameOf(Reason reason) { return kNames[static_cast<std::size_t>(reason)]; }

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
