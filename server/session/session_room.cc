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

Verdict SessionRoom::TryResize(Use use, std::uint64_t bytes) {
  const Verdict verdict =
      shared_.has_value() ? shared_->Resize(SharedBytesWith(use, bytes)) : Verdict::kGranted;
  if (verdict == Verdict::kGranted) used_[static_cast<std::size_t>(use)] = bytes;
  return verdict;
}

absl::Status SessionRoom::Require(Use use, std::uint64_t bytes, const char* field) {
  const Verdict verdict = TryResize(use, bytes);
  if (verdict == Verdict::kGranted) return absl::OkStatus();
  return shared_->Refuse(verdict, SharedBytesWith(use, bytes) - shared_->held(), {.field = field});
}

}  // namespace clearance::server
