// SPDX-License-Identifier: Apache-2.0
//
// The cost of work, when it stops, and the parts of it that take turns.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "absl/time/time.h"
#include "server/observe/steady_clock.h"
#include "server/schedule/turns.h"

namespace clearance::server {

// Work is measured in units of about a microsecond. Up to kMaxCheapCost is done on the polling
// thread, where all other calls of it wait meanwhile. If it takes longer than expected, it is
// handed to workers after kMostInPlace.
inline constexpr absl::Duration kMostInPlace = absl::Milliseconds(1);
// A worker has others waiting for its turn. It hands a part on after this, to the long work.
inline constexpr absl::Duration kMostATurn = absl::Milliseconds(8);
// Work that cannot be cut is long work at once if it is expected to take longer than this.
inline constexpr absl::Duration kMostOfAWhole = absl::Milliseconds(64);
inline constexpr std::uint64_t kMaxCheapCost = Turns::kTurn;
inline constexpr std::uint64_t kDear = kMaxCheapCost + 1;
inline std::uint64_t CostOf(absl::Duration duration) {
  return static_cast<std::uint64_t>(absl::ToInt64Microseconds(duration));
}
inline absl::Duration DurationOf(std::uint64_t cost) {
  return absl::Microseconds(static_cast<std::int64_t>(cost));
}

// Counting and parsing a message takes up to 5 ns a byte. A polling thread takes in no message that
// may need most of a millisecond, because all its other calls wait meanwhile. It does take in one
// with as many rows as it answers itself, with two poses a row.
inline constexpr std::uint64_t kMostBytesInPlace = 128 << 10;
static_assert(kMostBytesInPlace > kMaxCheapCost * 2 * 7 * sizeof(double));
inline std::uint64_t CostOfTaking(std::uint64_t bytes) {
  constexpr std::uint64_t kBytesAUnit = 256;
  return bytes > kMostBytesInPlace ? std::max(kDear, bytes / kBytesAUnit) : 0;
}

// When work on one message stops before it is done: its call is over, or its time is. Thread-safe.
class StopRule {
 public:
  // `is_in_vain` becomes true once no client will get the result. It outlives this.
  StopRule(const std::atomic<bool>& is_in_vain, SteadyTime arrival, SteadyTime deadline)
      : is_in_vain_(is_in_vain), arrival_(arrival), deadline_(deadline) {}

  bool ShouldStop() const {
    return is_in_vain_.load(std::memory_order_relaxed) || SteadyNow() >= deadline_;
  }
  // Returns the same rule, but stops no later than `budget` after the message's arrival.
  StopRule Within(absl::Duration budget) const {
    return StopRule(is_in_vain_, arrival_, std::min(deadline_, arrival_ + budget));
  }

 private:
  const std::atomic<bool>& is_in_vain_;
  SteadyTime arrival_;
  SteadyTime deadline_;
};

// The rest of a work: part(i, end) for each i < count, and then finish(). A part that is not done
// by `end` returns false; it is called again with more time, as long work.
struct Parts {
  std::size_t count = 0;
  bool is_in_order = false;  // else several threads may be at different ones
  std::function<bool(std::size_t, SteadyTime end)> part;
  std::function<void()> finish;
  // The cost of this whole rest, if it is known better than when the work was placed.
  std::uint64_t cost = 0;  // 0: as it was placed
};

// Calls `last` after the whole work, on the thread that ends it.
template <class Last>
void Conclude(Parts* left, Last last) {
  if (left->count == 0) return last();
  left->finish = [finish = std::move(left->finish), last = std::move(last)] {
    finish();
    last();
  };
}

// The times of work that workers did.
struct WorkTimes {
  absl::Duration waited = absl::ZeroDuration();  // until the first of them began
  absl::Duration worked = absl::ZeroDuration();  // of all of them together
};

}  // namespace clearance::server
