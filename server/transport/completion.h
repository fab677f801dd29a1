// SPDX-License-Identifier: Apache-2.0
//
// Waits for a completion queue in a coroutine. Every operation of gRPC is given an Operation as its
// tag. The queue's one polling thread completes it and, if the coroutine already waits for it,
// resumes the coroutine at once. All of a call's operations use one queue, so a call's coroutine
// never runs on two threads and needs no lock.

#pragma once

#include <grpc/support/time.h>
#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include <atomic>
#include <coroutine>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "absl/time/time.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {

// The target of a completion queue's tag.
class Completion {
 public:
  virtual void Complete(bool ok) = 0;

 protected:
  ~Completion() = default;
};

// Complete it on the polling thread of the queue, at once or after a while.
inline void CompleteNow(grpc::Alarm& alarm, grpc::CompletionQueue* queue, Completion* completion) {
  alarm.Set(queue, gpr_time_0(GPR_CLOCK_MONOTONIC), completion);
}
inline void CompleteAfter(absl::Duration delay, grpc::Alarm& alarm, grpc::CompletionQueue* queue,
                          Completion* completion) {
  const gpr_timespec span = gpr_time_from_nanos(absl::ToInt64Nanoseconds(delay), GPR_TIMESPAN);
  alarm.Set(queue, gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), span), completion);
}

// One operation at a time: Start() it, hand the tag to gRPC, and `co_await` it, at once or later.
// The result is true if gRPC said ok. Thread-compatible; must outlive a started operation.
class Operation : public Completion {
 public:
  Operation() = default;
  virtual ~Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  Completion* Start() {
    is_pending_ = true;
    return this;
  }

  bool is_pending() const { return is_pending_; }
  bool is_awaited() const { return waiter_ != nullptr; }

  void Complete(bool ok) override {
    is_pending_ = false;
    is_ok_ = ok;
    Interrupt();
  }

  // Resumes a coroutine that waits, if one does, though the operation may still be pending.
  void Interrupt() {
    if (const std::coroutine_handle<> waiter = std::exchange(waiter_, nullptr)) waiter.resume();
  }

  bool await_ready() const { return !is_pending_; }
  void await_suspend(std::coroutine_handle<> waiter) { waiter_ = waiter; }
  bool await_resume() const { return !is_pending_ && is_ok_; }

 private:
  bool is_pending_ = false;
  bool is_ok_ = false;
  std::coroutine_handle<> waiter_;
};

// An operation that records when it completed, however late the coroutine awaits it.
class TimedOperation final : public Operation {
 public:
  void Complete(bool ok) override {
    completed_ = SteadyNow();
    Operation::Complete(ok);
  }

  SteadyTime completed() const { return completed_; }

 private:
  SteadyTime completed_;
};

// Waits for news from other threads: Arm(), look at the news, `co_await`. No news is missed.
class Signal : public Operation {
 public:
  explicit Signal(grpc::CompletionQueue* queue) : queue_(queue) {}

  // From here on Wake() completes it. No effect while it is pending. For the polling thread.
  void Arm() {
    if (is_pending()) return;
    Start();
    is_armed_ = true;
  }
  // Completes it if it is armed. Thread-safe.
  void Wake() {
    // Read first: once it is disarmed, the polling thread may complete and destroy this.
    grpc::CompletionQueue* const queue = queue_;
    grpc::Alarm& alarm = alarm_;
    if (is_armed_.exchange(false)) CompleteNow(alarm, queue, this);
  }

  // Sees what the thread wrote that woke it, whatever the queue does.
  void Complete(bool ok) override {
    (void)is_armed_.load();
    Operation::Complete(ok);
  }

 private:
  grpc::CompletionQueue* const queue_;
  grpc::Alarm alarm_;  // of the thread that has taken is_armed_
  std::atomic<bool> is_armed_ = false;
};

// Calls a function on the polling thread of the queue.
class PostedCall final : public Completion {
 public:
  PostedCall(grpc::CompletionQueue* queue, std::function<void()> function)
      : queue_(queue), function_(std::move(function)) {}

  // Post one call, unless one is still on its way: an alarm cannot be set twice. Thread-safe.
  // Requires: the queue is not being shut down.
  void Post() {
    if (!is_on_its_way_.exchange(true)) CompleteNow(alarm_, queue_, this);
  }
  void PostAfter(absl::Duration delay) {
    if (!is_on_its_way_.exchange(true)) CompleteAfter(delay, alarm_, queue_, this);
  }
  // Makes the call come at once.
  void Cancel() { alarm_.Cancel(); }

  // Clears the flag first: news left from now on is not certain to be seen. News left before is
  // seen, because this reads what Post() wrote.
  void Complete(bool /*ok*/) override {
    is_on_its_way_.exchange(false);
    function_();
  }

 private:
  grpc::CompletionQueue* const queue_;
  const std::function<void()> function_;
  grpc::Alarm alarm_;
  std::atomic<bool> is_on_its_way_ = false;
};

// Awaits a result that another thread gives.
template <class Result>
class Awaited final {
 public:
  using Done = std::function<void(Result)>;
  // `begin` makes the function that it is given be called once, on any thread. Null: nothing is
  // awaited, and the result is an empty one.
  Awaited(grpc::CompletionQueue* queue, std::function<void(Done)> begin)
      : queue_(queue), begin_(std::move(begin)) {}

  bool await_ready() const { return begin_ == nullptr; }
  void await_suspend(std::coroutine_handle<> waiter) {
    done_.emplace(queue_).Arm();
    done_->await_suspend(waiter);
    begin_([this](Result result) {
      result_ = std::move(result);
      done_->Wake();  // from here on this may be gone
    });
  }
  Result await_resume() { return std::move(result_); }

 private:
  grpc::CompletionQueue* const queue_;
  const std::function<void(Done)> begin_;
  std::optional<Signal> done_;  // takes memory, so it is made only to wait
  Result result_ = Result();
};

// A coroutine that starts at once, is never awaited and frees itself at its end.
struct Detached {
  // NOLINTNEXTLINE(readability-identifier-naming): the names of the language
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

// A coroutine that another one awaits, once. It starts there, and the other one continues with its
// result at its end.
template <class Result>
class Task {
 public:
  // NOLINTNEXTLINE(readability-identifier-naming): the names of the language
  struct promise_type {
    Task get_return_object() { return Task(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept { return Return(); }
    void return_value(Result value) { result = std::move(value); }
    void unhandled_exception() { std::terminate(); }

    std::optional<Result> result;
    std::coroutine_handle<> caller;
  };

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_ != nullptr) handle_.destroy();
  }

  bool await_ready() const { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) {
    handle_.promise().caller = caller;
    return handle_;
  }
  Result await_resume() { return *std::move(handle_.promise().result); }

 private:
  using Handle = std::coroutine_handle<promise_type>;

  struct Return {
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(Handle task) const noexcept {
      return task.promise().caller;
    }
    void await_resume() const noexcept {}
  };

  explicit Task(Handle handle) : handle_(handle) {}

  Handle handle_;
};

}  // namespace clearance::server
