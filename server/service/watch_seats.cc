// SPDX-License-Identifier: Apache-2.0

#include "server/service/watch_seats.h"

#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

absl::Status NoSeat(const char* limit, std::uint64_t most) {
  return Refuse(absl::StatusCode::kResourceExhausted,
                {.field = "",
                 .value = FormatNumber(most + 1) + " watches",
                 .limit = std::string(limit) + " <= " + FormatNumber(most),
                 .message = "There are as many watches of scenes as there may be; end some."});
}

}  // namespace

absl::Status WatchSeats::Take(const std::string& holder) {
  const std::lock_guard lock(mutex_);
  const auto held = of_holder_.find(holder);
  absl::Status status;
  if (taken_ >= limits_.max_watches) {
    status = NoSeat("max_watches", limits_.max_watches);
  } else if (held != of_holder_.end() && held->second >= limits_.max_caller_watches) {
    status = NoSeat("max_caller_watches", limits_.max_caller_watches);
  }
  if (!status.ok()) {
    metrics_.watches_refused().Increment();
    return status;
  }
  ++taken_;
  ++of_holder_[holder];
  metrics_.watches().Set(static_cast<double>(taken_));
  return absl::OkStatus();
}

void WatchSeats::Leave(const std::string& holder) {
  const std::lock_guard lock(mutex_);
  const auto held = of_holder_.find(holder);
  if (--held->second == 0) of_holder_.erase(held);
  metrics_.watches().Set(static_cast<double>(--taken_));
}

}  // namespace clearance::server
