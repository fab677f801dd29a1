// SPDX-License-Identifier: Apache-2.0
//
// Ends a session that says nothing, so that its place becomes free.

#pragma once

#include <grpc/support/time.h>
#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include <utility>

#include "absl/time/time.h"
#include "server/transport/completion.h"

namespace clearance::server {

// Pending from Await() until the message came or its time is over. Must be awaited before it goes.
// Used on the queue's polling thread alone.
class FirstMessage final : public Operation {
 public:
  // Interrupts `read`, which waits for the message, once its time is over.
  explicit FirstMessage(Operation& read) : read_(read) {}

  // Infinite: the message may come at any time. No effect after the first call.
  void Await(grpc::CompletionQueue* queue, absl::Duration most) {
    if (std::exchange(has_begun_, true) || most == absl::InfiniteDuration()) return;
    const gpr_timespec span = gpr_time_from_nanos(absl::ToInt64Nanoseconds(most), GPR_TIMESPAN);
    alarm_.Set(queue, gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), span), Start());
  }
  // No effect after the first call.
  void Came() {
    if (has_come_) return;
    has_come_ = true;
    alarm_.Cancel();
  }
  bool is_overdue() const { return is_overdue_; }

  void Complete(bool ok) override {
    is_overdue_ = ok && !has_come_;
    const bool interrupts = is_overdue_ && !is_awaited();
    Operation& read = read_;
    Operation::Complete(ok);  // may free this
    if (interrupts) read.Interrupt();
  }

 private:
  Operation& read_;
  grpc::Alarm alarm_;
  bool has_begun_ = false;
  bool has_come_ = false;
  bool is_overdue_ = false;
};

}  // namespace clearance::server
