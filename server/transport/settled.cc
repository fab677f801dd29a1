// SPDX-License-Identifier: Apache-2.0

#include "server/transport/settled.h"

#include <grpc/support/time.h>

namespace clearance::server {

void Settled::await_suspend(std::coroutine_handle<> waiter) {
  waiter_ = waiter;
  ledger_.Submit(std::move(changes_), [this](std::vector<ShapeOutcome> outcomes) {
    outcomes_ = std::move(outcomes);
    grpc::CompletionQueue* const queue = queue_;
    is_done_.store(true, std::memory_order_release);
    // From here on the polling thread may resume the coroutine and destroy this.
    alarm_.Set(queue, gpr_time_0(GPR_CLOCK_MONOTONIC), static_cast<Completion*>(this));
  });
}

void Settled::Complete(bool /*ok*/) {
  (void)is_done_.load(std::memory_order_acquire);
  waiter_.resume();
}

}  // namespace clearance::server
