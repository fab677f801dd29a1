// SPDX-License-Identifier: Apache-2.0

#include "server/session/session_room.h"

#include <numeric>

namespace clearance::server {

SessionRoom::SessionRoom(ShareLedger* all, std::string_view holder) {
  if (all != nullptr) shared_.emplace(*all, holder);
}

std::uint64_t SessionRoom::SharedBytesWith(Use use, std::uint64_t bytes) const {
  const std::uint64_t all = std::accumulate(used_.begin(), used_.end(), std::uint64_t{0});
  return LeftBeside(kOwn, all - used_[static_cast<std::size_t>(use)] + bytes);
}

bool SessionRoom::Resize(Use use, std::uint64_t bytes) {
  if (shared_.has_value() && !shared_->Resize(SharedBytesWith(use, bytes))) return false;
  used_[static_cast<std::size_t>(use)] = bytes;
  return true;
}

absl::Status SessionRoom::Require(Use use, std::uint64_t bytes, const char* field) {
  if (Resize(use, bytes)) return absl::OkStatus();
  return shared_->Refuse(Verdict::kShare, SharedBytesWith(use, bytes) - shared_->held(),
                         {.field = field});
}

}  // namespace clearance::server
