// SPDX-License-Identifier: Apache-2.0
//
// One completion queue and the one thread that polls it. If several messages wait for the thread,
// it takes them in turns (turns.h). So a caller that sends many waits for itself.

#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <thread>

#include "absl/container/flat_hash_set.h"
#include "absl/time/time.h"
#include "server/schedule/turns.h"
#include "server/transport/completion.h"

namespace clearance::server {

// Threads other than the polling one may call only queue(), Run(), BeginDrain(), LookAgain(),
// AwaitEnd(), turns(), HeldFor() and AskToTurn().
class Poller {
 public:
  explicit Poller(std::unique_ptr<grpc::ServerCompletionQueue> queue);
  // Requires: the server is shut down, or was never started.
  ~Poller();

  grpc::ServerCompletionQueue* queue() const { return queue_.get(); }

  void Run();

  // Makes is_draining() true, and calls all hooks.
  void BeginDrain() {
    is_draining_ = true;
    LookAgain();
  }
  bool is_draining() const { return is_draining_; }

  // Returns how often the polling thread has come back to its queue.
  std::uint64_t turns() const { return turns_.load(std::memory_order_relaxed); }
  // Returns the processor time that the thread has spent in gRPC without coming back to its queue,
  // as far as calls of this see it, and not further back than kHoldWindow. For one watching thread.
  absl::Duration HeldFor();
  static constexpr absl::Duration kHoldWindow = absl::Seconds(30);

  // Makes it come back once more, if it still does. Requires: the queue is not being shut down.
  void AskToTurn() { question_.Post(); }

  // Calls all hooks once more: other threads have left news for them.
  // Requires: the queue is not being shut down, which it never is while a call lives here.
  void LookAgain() { look_.Post(); }
  // The same after a while, or sooner if others have asked for it. For the polling thread, while a
  // call lives here.
  void LookLater(absl::Duration delay) { later_look_.PostAfter(delay); }

  // Blocks until no call lives here. Requires: the server is shut down, so no call can begin.
  void AwaitEnd() const {
    for (int left = calls_; left > 0; left = calls_) calls_.wait(left);
  }

  // A call that lives on this poller: the queue may not shut down before it ends.
  class Presence {
   public:
    explicit Presence(Poller& poller) : poller_(poller) { ++poller_.calls_; }
    ~Presence() {
      --poller_.calls_;
      poller_.calls_.notify_all();
    }
    Presence(const Presence&) = delete;
    Presence& operator=(const Presence&) = delete;

   private:
    Poller& poller_;
  };

  // While this lives, calls a function on the polling thread when the drain begins and after each
  // LookAgain(). The function may end calls.
  class Hook {
   public:
    Hook(Poller& poller, std::function<void()> look) : poller_(poller), look_(std::move(look)) {
      poller_.hooks_.insert(this);
    }
    ~Hook() { poller_.hooks_.erase(this); }
    Hook(const Hook&) = delete;
    Hook& operator=(const Hook&) = delete;

   private:
    friend class Poller;

    Poller& poller_;
    const std::function<void()> look_;
  };

  // How many messages may wait for their turn, each with its call, and how many refused ones. A
  // group may have as many as the others leave free.
  static constexpr std::uint64_t kMostWaiting = 16'384;
  static constexpr std::uint64_t kMostRefusedWaiting = 256;

  // Must be awaited before work on a message of the group (Caller::group) begins. It is ready at
  // once if no other message waits. A refused message waits for nearly all that are not refused.
  // False: too many wait already, and this one does not.
  class Turn {
   public:
    // `group` outlives this.
    Turn(Poller& poller, std::string_view group, bool is_refused)
        : poller_(poller),
          turns_(is_refused ? poller.refused_ : poller.admitted_),
          most_(is_refused ? kMostRefusedWaiting : kMostWaiting),
          group_(group) {}

    bool await_ready() const { return !poller_.is_behind_ && !poller_.HasWaitingTurns(); }
    bool await_suspend(std::coroutine_handle<> waiter);
    bool await_resume();

   private:
    Poller& poller_;
    Turns& turns_;
    const std::uint64_t most_;
    const std::string_view group_;
    Turns::Account account_;
    bool has_room_ = true;
    bool has_waited_ = false;
  };

 private:
  void Poll();
  void Complete(void* tag, bool ok);
  bool HasWaitingTurns() const { return !admitted_.empty() || !refused_.empty(); }
  void TakeTurns();
  void TakeTurn();
  template <class Work>
  void RunOwnCode(const Work& work);
  // Calls the hooks that are there still when their turn comes: each may end others.
  void Look();

  const std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::thread thread_;
  // The messages that wait for the polling thread.
  Turns admitted_;
  Turns refused_;
  bool is_behind_ = false;  // something was there already when the thread came back
  std::uint64_t turns_since_refused_ = 0;
  std::atomic<bool> is_draining_ = false;
  absl::flat_hash_set<Hook*> hooks_;
  PostedCall look_{queue_.get(), [this] { Look(); }};
  PostedCall later_look_{queue_.get(), [this] { Look(); }};
  PostedCall question_{queue_.get(), [] {}};
  std::atomic<std::uint64_t> turns_ = 0;     // written by the polling thread alone
  std::atomic<bool> is_completing_ = false;  // the same; the server's own code runs
  // The state of HeldFor().
  std::uint64_t watched_turns_ = 0;
  absl::Duration spent_before_ = absl::ZeroDuration();
  SteadyTime watched_since_ = SteadyTime();
  std::atomic<int> calls_ = 0;  // that live here
};

}  // namespace clearance::server
