// SPDX-License-Identifier: Apache-2.0

#include "server/guard/refusal.h"

#include <google/protobuf/util/time_util.h>

#include <array>
#include <charconv>

#include "absl/strings/cord.h"
#include "absl/types/optional.h"

namespace clearance::server {
namespace {

constexpr std::size_t kMaxValueBytes = 64;

// Returns the reason of a status that no refusal made.
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

}  // namespace

absl::Status StatusOf(const v1::Error& error) {
  absl::Status status(static_cast<absl::StatusCode>(error.code()), error.message());
  status.SetPayload(kErrorTypeUrl, absl::Cord(error.SerializeAsString()));
  return status;
}

absl::Status Refuse(absl::StatusCode code, const Refusal& refusal) {
  v1::Error error;
  error.set_code(static_cast<std::uint32_t>(code));
  error.set_reason(std::string(NameOf(refusal.reason)));
  error.set_field(refusal.field);
  error.set_value(Shorten(refusal.value));
  error.set_limit(refusal.limit);
  error.set_message(refusal.message);
  if (refusal.retry_after > absl::ZeroDuration()) {
    // Rounded up, so that a client that waits for so long has waited long enough.
    *error.mutable_retry_after() = google::protobuf::util::TimeUtil::NanosecondsToDuration(
        absl::ToInt64Nanoseconds(refusal.retry_after) + 1);
  }
  return StatusOf(error);
}

absl::Status CheckMost(std::uint64_t count, const NamedLimit& limit, const OverLimit& refusal) {
  if (count <= limit.most) return absl::OkStatus();
  return Refuse(absl::StatusCode::kResourceExhausted,
                {.reason = refusal.reason,
                 .field = std::string(refusal.field),
                 .value = FormatNumber(count).append(refusal.unit),
                 .limit = std::string(limit.name) + " <= " + FormatNumber(limit.most),
                 .message = std::string(refusal.message)});
}

absl::Status Under(std::string_view path, const absl::Status& status) {
  if (status.ok()) return status;
  const std::string below = ErrorOf(status).field();
  return WithField(below.empty() ? std::string(path) : std::string(path) + "." + below, status);
}

absl::Status WithField(std::string_view field, const absl::Status& status) {
  if (status.ok()) return status;
  v1::Error error = ErrorOf(status);
  error.set_field(std::string(field));
  return StatusOf(error);
}

v1::Error ErrorOf(const absl::Status& status) {
  v1::Error error;
  const absl::optional<absl::Cord> payload = status.GetPayload(kErrorTypeUrl);
  if (payload.has_value() && error.ParseFromString(std::string(*payload))) return error;
  error.set_code(static_cast<std::uint32_t>(status.code()));
  error.set_reason(std::string(NameOf(ReasonOf(status.code()))));
  error.set_message(std::string(status.message()));
  return error;
}

std::string FormatNumber(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return std::string(buffer.data(), end);
}

std::string Shorten(std::string_view text) {
  std::string shortened;
  for (const char c : text.substr(0, kMaxValueBytes)) {
    const bool is_ascii = static_cast<unsigned char>(c) < 0x80;
    shortened.push_back(is_ascii ? c : '?');
  }
  return shortened;
}

}  // namespace clearance::server
