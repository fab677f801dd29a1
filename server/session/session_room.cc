// SPDX-License-Identifier: Apache-2.0

#include "server/session/session_room.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/time/time.h"
#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

// The end of a session cannot be predicted.
constexpr absl::Duration kRoomPatience = absl::Seconds(1);

}  // namespace

SessionRoom::SessionRoom(SharedBytes* all, std::string holder) : all_(all) {
  if (all != nullptr) shared_.emplace(*all, std::move(holder));
}

std::uint64_t SessionRoom::bytes() const {
  return std::accumulate(used_.begin(), used_.end(), std::uint64_t{0});
}

bool SessionRoom::Resize(Use use, std::uint64_t bytes) {
  std::uint64_t& used = used_[static_cast<std::size_t>(use)];
  if (used == bytes) return true;
  const std::uint64_t before = std::exchange(used, bytes);
  const std::uint64_t all = this->bytes();
  if (!shared_.has_value() || shared_->Resize(all - std::min(all, kOwn))) return true;
  used = before;
  return false;
}

absl::Status SessionRoom::Require(Use use, std::uint64_t bytes, const char* field) {
  if (Resize(use, bytes)) return absl::OkStatus();
  return Refuse(
      absl::StatusCode::kResourceExhausted,
      {.field = field,
       .value = FormatNumber(this->bytes() - used_[static_cast<std::size_t>(use)] + bytes) +
                " bytes of the session",
       .limit = "max_total_session_bytes <= " + FormatNumber(all_->most()) +
                ", and of one caller what the others leave free",
       .message = "The server's sessions hold as much as they may; close slots, detach bodies, end "
                  "sessions or register the shapes, or repeat after `retry_after`.",
       .retry_after = kRoomPatience});
}

}  // namespace clearance::server
