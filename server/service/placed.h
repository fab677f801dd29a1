// SPDX-License-Identifier: Apache-2.0
//
// Work as something to await: in place where it is cheap, else on workers. There it may leave what
// it has most of to parts, each of which waits for a turn of its own: nobody's work waits for more
// of somebody else's than a part. The coroutine goes on where it was, on its own polling thread.

#ifndef CLEARANCE_SERVER_SERVICE_PLACED_H_
#define CLEARANCE_SERVER_SERVICE_PLACED_H_

#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include <algorithm>
#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/time/time.h"
#include "server/observe/steady_clock.h"
#include "server/service/completion.h"
#include "server/service/worker_pool.h"

namespace clearance::server {

// Work is measured in units of about a microsecond. Up to kMaxCheapCost is done on the polling
// thread, where all other calls of it wait meanwhile. If it takes longer than expected, it is
// handed to workers after kMostInPlace.
inline constexpr absl::Duration kMostInPlace = absl::Milliseconds(1);
// And after this from a worker, for whose turn others wait, to where long work is done.
inline constexpr absl::Duration kMostATurn = absl::Milliseconds(8);
// Work that cannot be cut goes there at once if it is expected to take longer than this.
inline constexpr absl::Duration kMostOfAWhole = absl::Milliseconds(64);
inline constexpr std::uint64_t kMaxCheapCost = Turns::kTurn;
inline constexpr std::uint64_t kDear = kMaxCheapCost + 1;
inline std::uint64_t CostOf(absl::Duration duration) {
  return static_cast<std::uint64_t>(absl::ToInt64Microseconds(duration));
}
inline absl::Duration DurationOf(std::uint64_t cost) {
  return absl::Microseconds(static_cast<std::int64_t>(cost));
}

// To count and to parse a message takes up to 5 ns a byte: what may take most of a millisecond is
// no polling thread's, everybody who is on it waits meanwhile. A message of as many rows as are
// answered there is, with two poses a row.
inline constexpr std::uint64_t kMostBytesInPlace = 128 << 10;
static_assert(kMostBytesInPlace > kMaxCheapCost * 2 * 7 * sizeof(double));
inline std::uint64_t CostOfTaking(std::uint64_t bytes) {
  constexpr std::uint64_t kBytesAUnit = 256;
  return bytes > kMostBytesInPlace ? std::max(kDear, bytes / kBytesAUnit) : 0;
}

// The rest of a work: part(i, end) for each i < count, and then finish(). A part that is not
// done by `end` says so; it is called again, with more time, where long work is done.
struct Parts {
  std::size_t count = 0;
  bool is_in_order = false;  // else several threads may be at different ones
  std::function<bool(std::size_t, SteadyTime end)> part;
  std::function<void()> finish;
  // Of the whole work without what comes later, where that is known better than when it was placed.
  std::uint64_t cost = 0;  // 0: as it was placed
};

// Has `last` done after the whole work, on the thread that ends it.
template <class Last>
void Conclude(Parts* left, Last last) {
  if (left->count == 0) return last();
  left->finish = [finish = std::move(left->finish), last = std::move(last)] {
    finish();
    last();
  };
}

class Placed final : public Completion {
 public:
  struct Where {
    WorkerPool::Account& account;
    std::string_view group;        // of the account; until it joins the pool
    grpc::CompletionQueue* queue;  // on whose polling thread the coroutine runs and goes on
    std::uint64_t cost;
    // The cost of the work that cannot be cut into parts.
    std::uint64_t whole_cost = 0;
  };
  // May leave parts to be done.
  using Work = std::function<void(Parts* left)>;

  Placed(const Where& where, Work work) : where_(where), work_(std::move(work)) {}

  bool await_ready();
  void await_suspend(std::coroutine_handle<> waiter);
  void await_resume() const {}

  // Of work that was done on workers: until one began, and what all of them spent on it.
  struct Times {
    absl::Duration waited = absl::ZeroDuration();
    absl::Duration worked = absl::ZeroDuration();
  };
  Times times() const { return {waited_, absl::Nanoseconds(worked_.load())}; }

  void Complete(bool ok) override;

 private:
  void Begin();
  std::uint64_t cost() const { return left_.cost == 0 ? where_.cost : left_.cost; }
  // Whether it is long and cannot be cut.
  bool IsWhole() const { return DurationOf(where_.whole_cost) > kMostOfAWhole; }
  void AddParts();
  void DoPart();
  void DoLongPart(std::size_t i, absl::Duration most);
  void DoNextPart();
  void Return();
  // Returns how long it took.
  template <class DoWork>
  absl::Duration Timed(const DoWork& work);

  const Where where_;
  const Work work_;
  Parts left_;
  std::atomic<std::size_t> next_part_ = 0;
  std::atomic<std::size_t> busy_ = 0;  // threads that may be at parts
  SteadyTime added_;
  absl::Duration waited_;
  std::atomic<std::int64_t> worked_ = 0;  // nanoseconds
  std::optional<grpc::Alarm> alarm_;      // it takes memory: only of work that workers do
  std::coroutine_handle<> waiter_;
  // Makes what the workers wrote visible to the polling thread, whatever the queue does.
  std::atomic<bool> is_done_ = false;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SERVICE_PLACED_H_
