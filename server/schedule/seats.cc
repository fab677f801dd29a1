// SPDX-License-Identifier: Apache-2.0

#include "server/schedule/seats.h"

#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

// The server does not know when a seat will be left.
constexpr absl::Duration kSeatPatience = absl::Seconds(1);

absl::Status Full(const SeatLimit& limit, const std::string& message) {
  return Refuse(absl::StatusCode::kResourceExhausted,
                {.field = "",
                 .value = FormatNumber(limit.value + 1),
                 .limit = std::string(limit.name) + " <= " + FormatNumber(limit.value),
                 .message = std::string(limit.name) + ": " + message,
                 .retry_after = kSeatPatience});
}

absl::Status ShareTaken(const SeatLimit& limit, std::uint64_t of_holder) {
  return Refuse(absl::StatusCode::kResourceExhausted,
                {.field = "",
                 .value = FormatNumber(of_holder + 1) + " of one caller",
                 .limit = std::string(limit.name) + ": as many as all others leave free",
                 .message = "The caller has its share of " + std::string(limit.name) +
                            "; end some, or repeat after `retry_after`.",
                 .retry_after = kSeatPatience});
}

}  // namespace

absl::Status Seats::CheckRoom(std::uint64_t of_holder) const {
  if (of_holder >= of_holder_limit_.value)
    return Full(of_holder_limit_, "The caller has as many as it may have; end some.");
  if (taken_ >= most_.value) {
    return Full(most_,
                "The server has as many as it may have; try another one, or repeat after "
                "`retry_after`.");
  }
  if (of_holder > 0 && of_holder >= most_.value - taken_) return ShareTaken(most_, of_holder);
  return absl::OkStatus();
}

absl::Status Seats::Take(const std::string& holder) {
  const std::lock_guard lock(mutex_);
  const auto found = of_holder_.find(holder);
  absl::Status status = CheckRoom(found == of_holder_.end() ? 0 : found->second);
  if (!status.ok()) return status;
  ++of_holder_[holder];
  gauge_.Set(static_cast<double>(++taken_));
  return status;
}

void Seats::Leave(const std::string& holder) {
  const std::lock_guard lock(mutex_);
  const auto held = of_holder_.find(holder);
  if (--held->second == 0) of_holder_.erase(held);
  gauge_.Set(static_cast<double>(--taken_));
}

}  // namespace clearance::server
