// SPDX-License-Identifier: Apache-2.0
//
// Awaits changes of the registry. The coroutine continues on its own polling thread, once they are
// stored and made.

#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include <atomic>
#include <coroutine>
#include <utility>
#include <vector>

#include "server/storage/shape_ledger.h"
#include "server/transport/completion.h"

namespace clearance::server {

class Settled final : public Completion {
 public:
  // The coroutine runs and continues on the polling thread of `queue`.
  Settled(ShapeLedger& ledger, grpc::CompletionQueue* queue, std::vector<ShapeChange> changes)
      : ledger_(ledger), queue_(queue), changes_(std::move(changes)) {}

  bool await_ready() const { return changes_.empty(); }
  void await_suspend(std::coroutine_handle<> waiter);
  // Returns one outcome per change.
  std::vector<ShapeOutcome> await_resume() { return std::move(outcomes_); }

  void Complete(bool ok) override;

 private:
  ShapeLedger& ledger_;
  grpc::CompletionQueue* const queue_;
  std::vector<ShapeChange> changes_;
  std::vector<ShapeOutcome> outcomes_;
  grpc::Alarm alarm_;
  std::coroutine_handle<> waiter_;
  // Makes what the ledger's thread wrote visible to the polling thread, whatever the queue does.
  std::atomic<bool> is_done_ = false;
};

}  // namespace clearance::server
