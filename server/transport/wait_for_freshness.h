// SPDX-License-Identifier: Apache-2.0
//
// Awaits a fresh view of a shared registry. The coroutine continues on its own polling thread, once
// every name is as new as it was on any server when the wait began.

#pragma once

#include <grpc/support/time.h>
#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include <atomic>
#include <coroutine>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "server/storage/shared_registry.h"
#include "server/transport/completion.h"

namespace clearance::server {

class WaitForFreshness final : public Completion {
 public:
  // Null: nothing is awaited. The coroutine runs on the polling thread of `queue`.
  WaitForFreshness(Freshness* freshness, grpc::CompletionQueue* queue)
      : freshness_(freshness), queue_(queue) {}

  bool await_ready() const { return freshness_ == nullptr; }
  void await_suspend(std::coroutine_handle<> waiter) {
    waiter_ = waiter;
    alarm_.emplace();
    freshness_->Await([this](absl::Status status) {
      status_ = std::move(status);
      grpc::CompletionQueue* const queue = queue_;
      is_done_.store(true, std::memory_order_release);
      // From here on the polling thread may resume the coroutine and destroy this.
      alarm_->Set(queue, gpr_time_0(GPR_CLOCK_MONOTONIC), static_cast<Completion*>(this));
    });
  }
  // Returns OK, or the refusal for a call that cannot be answered.
  absl::Status await_resume() { return std::move(status_); }

  void Complete(bool /*ok*/) override {
    (void)is_done_.load(std::memory_order_acquire);
    waiter_.resume();
  }

 private:
  Freshness* const freshness_;
  grpc::CompletionQueue* const queue_;
  absl::Status status_;
  std::optional<grpc::Alarm> alarm_;  // takes memory, so it is made only to wait
  std::coroutine_handle<> waiter_;
  // As in Settled.
  std::atomic<bool> is_done_ = false;
};

}  // namespace clearance::server
