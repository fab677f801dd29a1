// SPDX-License-Identifier: Apache-2.0
//
// Refusals of this server: an absl::Status whose payload is one clearance.v1.Error. Field, value
// and limit travel unchanged from the place at which they are known to the wire
// (`grpc-status-details-bin`, or the status of a session's reply). The code is decided at that
// place too; on the path up only the path of the field grows.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "clearance/v1/error.pb.h"
#include "server/guard/reason.h"

namespace clearance::server {

// The type URL of the payload, as google.protobuf.Any spells it.
inline constexpr char kErrorTypeUrl[] = "type.googleapis.com/clearance.v1.Error";

// Holds the reason to refuse a request; see clearance.v1.Error.
struct Refusal {
  Reason reason;
  std::string field = {};
  std::string value = {};  // shortened to 64 characters
  std::string limit;
  std::string message;
  absl::Duration retry_after = absl::ZeroDuration();  // 0: repeating by itself does not help
};

// Returns the status of a refusal; its text is the refusal's message.
absl::Status Refuse(absl::StatusCode code, const Refusal& refusal);

// Returns the same with INVALID_ARGUMENT.
absl::Status RefuseArgument(const Refusal& refusal);

// Returns RESOURCE_EXHAUSTED if the count is above the limit.
struct NamedLimit {
  const char* name;
  std::uint64_t most;
};
struct OverLimit {
  Reason reason;
  std::string_view field;
  std::string_view unit = {};  // of the count, with a space before it
  std::string_view message;
};
absl::Status CheckMost(std::uint64_t count, const NamedLimit& limit, const OverLimit& refusal);

// Returns the same status with `path` and a dot in front of the field.
absl::Status Under(std::string_view path, const absl::Status& status);

// Returns the same status with this field instead.
absl::Status WithField(std::string_view field, const absl::Status& status);

// Returns the refusal as it goes to the wire; for a status without one, its code, text and the
// reason of the code.
v1::Error ErrorOf(const absl::Status& status);

// Returns the status of a refusal that is in its form for the wire.
absl::Status StatusOf(const v1::Error& error);

// Returns a number as refusals show it: the shortest text that reads back as the same double.
std::string FormatNumber(double value);
std::string FormatNumber(std::uint64_t value);

// Returns the name of a row or entry of a field.
template <class Index>
std::string Indexed(std::string_view field, Index i) {
  return std::string(field) + "[" + std::to_string(i) + "]";
}

// Returns the first 64 bytes; those beyond ASCII, which may not be UTF-8, become '?'.
std::string Shorten(std::string_view text);

}  // namespace clearance::server
