// SPDX-License-Identifier: Apache-2.0
//
// The end, the deadline and the accounting of a call, and its messages as bytes.

#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message_lite.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/config/limits.h"
#include "server/observe/metrics.h"
#include "server/observe/steady_clock.h"
#include "server/transport/completion.h"

namespace clearance::server {

// Completes when gRPC reports that the call is over, for any reason. Must be awaited before the
// call's memory goes. Other threads may ask whether work on it is in vain. Never completes for a
// call that did not begin.
class CallEnd final : public Operation {
 public:
  // The end interrupts `waiting`, an operation of the same call, if there is one.
  explicit CallEnd(grpc::ServerContext& context, Operation* waiting = nullptr)
      : context_(context), waiting_(waiting) {}

  // Makes the end interrupt this instead. It outlives the call's end, unless null replaces it.
  void Interrupts(Operation* waiting) { waiting_ = waiting; }

  // Requires: called before the call is requested.
  void Await() { context_.AsyncNotifyWhenDone(Start()); }

  void Complete(bool ok) override {
    is_cancelled_ = context_.IsCancelled();
    if (is_cancelled_) StopWork();
    // A coroutine that awaits the end goes on, and frees this.
    Operation* const waiting = is_awaited() ? nullptr : waiting_;
    Operation::Complete(ok);
    if (waiting != nullptr) waiting->Interrupt();
  }

  bool is_cancelled() const { return is_cancelled_; }

  // Marks work as in vain: no client gets its result, as the call was cancelled or because of this.
  void StopWork() { is_in_vain_.store(true, std::memory_order_relaxed); }
  const std::atomic<bool>& is_in_vain() const { return is_in_vain_; }

 private:
  grpc::ServerContext& context_;
  Operation* waiting_;
  bool is_cancelled_ = false;
  std::atomic<bool> is_in_vain_ = false;
};

// Returns the deadline by the steady clock. gRPC tells it by the wall clock of the moment when it
// is asked, so the next jump of that clock changes it.
SteadyTime DeadlineOf(const grpc::ServerContext& context);

// Returns the code of a call's end: `code` unless it was cancelled, by its deadline or otherwise.
absl::StatusCode EndCode(const CallEnd& end, SteadyTime deadline, absl::StatusCode code);

// Counts one call in the metrics from its beginning to its end.
class CallAccount {
 public:
  explicit CallAccount(RpcSeries& series) : series_(series), began_(SteadyNow()) {
    series_.Started();
  }
  ~CallAccount() { series_.Handled(code_, SteadyNow() - began_); }
  CallAccount(const CallAccount&) = delete;
  CallAccount& operator=(const CallAccount&) = delete;

  void MessageReceived() { series_.MessageReceived(); }
  void MessageSent() { series_.MessageSent(); }
  void EndsWith(absl::StatusCode code) { code_ = static_cast<int>(code); }

 private:
  RpcSeries& series_;
  const SteadyTime began_;
  int code_ = static_cast<int>(absl::StatusCode::kCancelled);
};

// Returns RESOURCE_EXHAUSTED for a message of more than `limits.max_request_bytes`.
absl::Status CheckSize(const grpc::ByteBuffer& bytes, const Limits& limits);

// Return the most objects (server/guard/object_count.h) in a message about one shape, and in one of
// so many bytes about many.
std::uint64_t MostObjectsOfOneShape(const Limits& limits);
std::uint64_t MostObjectsOfManyShapes(const Limits& limits, std::uint64_t bytes);

// Returns RESOURCE_EXHAUSTED for a message that would be parsed into more than `most` objects.
absl::Status CheckObjects(grpc::ByteBuffer* bytes, const google::protobuf::Descriptor& type,
                          std::uint64_t most);

// Returns false if the bytes are not such a message. Takes the bytes.
bool ParseMessage(grpc::ByteBuffer* bytes, google::protobuf::MessageLite* message);

grpc::ByteBuffer SerializeMessage(const google::protobuf::MessageLite& message);

// Returns the status with the refusal in its details.
grpc::Status ToGrpcStatus(const absl::Status& status);

}  // namespace clearance::server
