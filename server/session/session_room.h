// SPDX-License-Identifier: Apache-2.0
//
// The memory of one session between its messages: its slots with their inline shapes, its own
// bodies, and the ends of its rows. Each session has a small reserve that others cannot take. Bytes
// beyond it are a part of the bytes that all sessions may have together.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/guard/share_ledger.h"

namespace clearance::server {

// The end of a session cannot be predicted.
inline constexpr Resource kSessionBytes = {
    .limit = "max_total_session_bytes",
    .advice = "close slots, detach bodies, end sessions, register the shapes",
    .retry_after = absl::Seconds(1),
    .taken = Taken::kExactly};

// Thread-compatible.
class SessionRoom {
 public:
  enum class Use : std::uint8_t { kSlots, kQueryBodies, kWarmRows };

  // Bytes that a session has regardless of the others.
  static constexpr std::uint64_t kOwn = 64 << 10;
  // Maximum bytes of a slot without its inline shape: its entries in the tables that know it, and a
  // digest or the reason of a failure.
  static constexpr std::uint64_t kOfSlot = 512;

  // `all` outlives this; null: nothing is bounded.
  SessionRoom(ShareLedger* all, std::string_view holder) {
    if (all != nullptr) shared_.emplace(*all, holder);
  }

  // Sets the bytes of a use. Returns false, and changes nothing, if that is more and there is no
  // room for it.
  bool Resize(Use use, std::uint64_t bytes) { return Require(use, bytes, "").ok(); }
  // The same, with RESOURCE_EXHAUSTED of `field` as the refusal.
  absl::Status Require(Use use, std::uint64_t bytes, const char* field) {
    std::uint64_t& used = used_[static_cast<std::size_t>(use)];
    if (shared_.has_value()) {
      const std::uint64_t all = std::accumulate(used_.begin(), used_.end(), std::uint64_t{0});
      const std::uint64_t shared = LeftBeside(kOwn, all - used + bytes);
      if (const Verdict verdict = shared_->Resize(shared); verdict != Verdict::kGranted)
        return shared_->Refuse(verdict, shared - shared_->held(), {.field = field});
    }
    used = bytes;
    return absl::OkStatus();
  }

 private:
  std::optional<ShareLedger::Part> shared_;  // the bytes beyond the session's own
  std::array<std::uint64_t, 3> used_{};      // by the number of Use
};

}  // namespace clearance::server
