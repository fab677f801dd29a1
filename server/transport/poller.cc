// SPDX-License-Identifier: Apache-2.0

#include "server/transport/poller.h"

#include <vector>

#include "server/guard/share_ledger.h"
#include "server/schedule/scheduling.h"

namespace clearance::server {

Poller::Poller(std::unique_ptr<grpc::ServerCompletionQueue> queue) : queue_(std::move(queue)) {}

Poller::~Poller() {
  queue_->Shutdown();
  later_look_.Cancel();
  if (thread_.joinable()) {
    thread_.join();
  } else {
    Poll();
  }
}

void Poller::Run() {
  thread_ = std::thread([this] {
    RunInShortSlices();
    Poll();
  });
}

void Poller::Poll() {
  // Next() takes at least this long if nothing is there yet. A clock is cheaper than asking.
  constexpr absl::Duration kLeastWait = absl::Microseconds(15);
  void* tag = nullptr;
  bool ok = false;
  SteadyTime left = SteadyNow();
  while (queue_->Next(&tag, &ok)) {
    is_behind_ = SteadyNow() - left < kLeastWait;
    Complete(tag, ok);
    TakeTurns();
    left = SteadyNow();
  }
}

template <class Work>
void Poller::RunOwnCode(const Work& work) {
  is_completing_.store(true, std::memory_order_relaxed);
  work();
  is_completing_.store(false, std::memory_order_relaxed);
  turns_.store(turns_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void Poller::Complete(void* tag, bool ok) {
  RunOwnCode([=] { static_cast<Completion*>(tag)->Complete(ok); });
}

// Lets all arrived messages, or nearly all, join those that wait before one of them is taken.
// Messages that keep arriving must not keep the others waiting.
void Poller::TakeTurns() {
  constexpr int kMostBetweenTurns = 32;
  // At the first call after this thread itself has completed something, gRPC does not look at its
  // sockets, but takes that as its result.
  constexpr int kLooks = 2;
  int completions = 0, looks = 0;
  while (HasWaitingTurns()) {
    is_behind_ = true;
    void* tag = nullptr;
    bool ok = false;
    const auto next = queue_->AsyncNext(&tag, &ok, gpr_inf_past(GPR_CLOCK_MONOTONIC));
    if (next == grpc::CompletionQueue::GOT_EVENT) {
      Complete(tag, ok);
      ++completions;
    } else {
      ++looks;
    }
    if (completions < kMostBetweenTurns && looks < kLooks) continue;
    completions = 0;
    looks = 0;
    TakeTurn();
  }
}

void Poller::TakeTurn() {
  // Otherwise refused callers would never hear of it on a busy server.
  constexpr std::uint64_t kTurnsForARefusal = 32;
  const bool is_refused =
      !refused_.empty() && (admitted_.empty() || ++turns_since_refused_ >= kTurnsForARefusal);
  if (is_refused) turns_since_refused_ = 0;
  RunOwnCode(is_refused ? refused_.Take() : admitted_.Take());
}

bool Poller::Turn::await_suspend(std::coroutine_handle<> waiter) {
  turns_.Join(&account_, group_);
  // Both counts have this one already.
  const std::uint64_t own = turns_.GroupSizeOf(account_) - 1, all = turns_.account_count() - 1;
  has_room_ = IsFair(own, 1, LeftBeside(all, most_));
  if (!has_room_) {
    turns_.Leave(&account_);
    return false;
  }
  has_waited_ = true;
  turns_.Add(&account_, Turns::kTurn, [waiter] { waiter.resume(); });
  return true;
}

bool Poller::Turn::await_resume() {
  if (has_waited_) turns_.Leave(&account_);
  return has_room_;
}

absl::Duration Poller::HeldFor() {
  const std::uint64_t turns = turns_.load(std::memory_order_relaxed);
  const absl::Duration spent = ProcessorTimeOf(thread_);
  const SteadyTime now = SteadyNow();
  if (turns != watched_turns_ || is_completing_.load(std::memory_order_relaxed) ||
      now - watched_since_ > kHoldWindow) {
    watched_turns_ = turns;
    spent_before_ = spent;
    watched_since_ = now;
  }
  return spent - spent_before_;
}

void Poller::Look() {
  for (Hook* const hook : std::vector(hooks_.begin(), hooks_.end())) {
    if (hooks_.contains(hook)) hook->look_();
  }
}

}  // namespace clearance::server
