// SPDX-License-Identifier: Apache-2.0
//
// Work that can be awaited: done in place if it is cheap, otherwise on workers. There it may leave
// most of itself to parts, each of which waits for its own turn. So no work waits for more of
// another's than a part. The coroutine continues on its own polling thread.

#pragma once

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
#include "server/schedule/pending_work.h"
#include "server/schedule/work.h"
#include "server/schedule/worker_pool.h"
#include "server/transport/completion.h"

namespace clearance::server {

class Offload final : public Completion {
 public:
  struct Where {
    WorkerPool::Account& account;
    std::string_view group;        // of the account; until it joins the pool
    grpc::CompletionQueue* queue;  // on whose polling thread the coroutine runs and goes on
    std::uint64_t cost;
    // The cost of the work that cannot be cut into parts.
    std::uint64_t whole_cost = 0;
    // Counts work that is handed over after it was begun in place; null: it is not counted.
    PendingWork* pending = nullptr;
  };
  // May leave parts to be done.
  using Work = std::function<void(Parts* left)>;

  Offload(const Where& where, Work work) : where_(where), work_(std::move(work)) {}

  bool await_ready();
  void await_suspend(std::coroutine_handle<> waiter);
  void await_resume() const {}

  WorkTimes times() const { return {waited_, absl::Nanoseconds(worked_.load())}; }

  void Complete(bool ok) override;

 private:
  void Begin();
  std::uint64_t cost() const { return left_.cost == 0 ? where_.cost : left_.cost; }
  // Returns whether it is long and cannot be cut.
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
  std::optional<grpc::Alarm> alarm_;      // takes memory, so it is made only for workers
  std::coroutine_handle<> waiter_;
  // Makes what the workers wrote visible to the polling thread, whatever the queue does.
  std::atomic<bool> is_done_ = false;
};

}  // namespace clearance::server
