// SPDX-License-Identifier: Apache-2.0
//
// The bytes that one call holds, with a wait for room that can be awaited.

#pragma once

#include <grpc/support/time.h>
#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include <string_view>

#include "server/guard/share_ledger.h"
#include "server/transport/completion.h"

namespace clearance::server {

// Used on the queue's polling thread alone. Requires: room() is not pending at the end.
class ByteAccount final : public ShareLedger::Part {
 public:
  ByteAccount(ShareLedger& bytes, std::string_view caller, grpc::CompletionQueue* queue)
      : Part(bytes, caller), queue_(queue) {}

  // Starts room(), which completes once there is room, or once waiting is stopped.
  void AwaitRoom() {
    room_.Start();
    WaitForRoom();
  }
  Operation& room() { return room_; }

 private:
  void Wake() override {
    alarm_.Set(queue_, gpr_time_0(GPR_CLOCK_MONOTONIC), static_cast<Completion*>(&room_));
  }

  grpc::CompletionQueue* const queue_;
  Operation room_;
  grpc::Alarm alarm_;
};

}  // namespace clearance::server
