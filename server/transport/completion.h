// SPDX-License-Identifier: Apache-2.0
//
// Waits for a completion queue in a coroutine. Every operation of gRPC is given an Operation as its
// tag. The queue's one polling thread completes it and, if the coroutine already waits for it,
// resumes the coroutine at once. All of a call's operations use one queue, so a call's coroutine
// never runs on two threads and needs no lock.

#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include "server/observe/steady_clock.h"

namespace clearance::server {

// The target of a completion queue's tag.
class Completion {
 public:
  virtual void Complete(bool ok) = 0;

 protected:
  ~Completion() = default;
};

// One operation at a time: Start() it, hand the tag to gRPC, and `co_await` it, at once or later.
// The result is true if gRPC said ok. Thread-compatible; must outlive a started operation.
class Operation : public Completion {
 public:
  Operation() = default;
  virtual ~Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  void* Start() {
    is_pending_ = true;
    return static_cast<Completion*>(this);
  }

  bool is_pending() const { return is_pending_; }
  // Returns whether a coroutine waits for it now.
  bool is_awaited() const { return waiter_ != nullptr; }

  void Complete(bool ok) override {
    is_pending_ = false;
    is_ok_ = ok;
    Resume();
  }

  // Resumes a coroutine that waits, with the operation still pending; no effect if none waits.
  void Interrupt() { Resume(); }

  bool await_ready() const { return !is_pending_; }
  void await_suspend(std::coroutine_handle<> waiter) { waiter_ = waiter; }
  bool await_resume() const { return !is_pending_ && is_ok_; }

 private:
  void Resume() {
    if (const std::coroutine_handle<> waiter = std::exchange(waiter_, nullptr)) waiter.resume();
  }

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
