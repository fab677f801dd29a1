// SPDX-License-Identifier: Apache-2.0
//
// A call as gRPC has it, its end, the bytes that it holds, and its messages as bytes.

#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/async_unary_call.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/guard/share_ledger.h"
#include "server/transport/poller.h"

namespace clearance::server {

using UnaryWriter = grpc::ServerAsyncResponseWriter<grpc::ByteBuffer>;
using StreamWriter = grpc::ServerAsyncWriter<grpc::ByteBuffer>;
using TwoWayStream = grpc::ServerAsyncReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>;

// A call as gRPC has it: its operations, and the bytes that came last. Every started operation is
// awaited before the call goes.
template <class Stream>
struct RawCall {
  grpc::ServerContext context;
  Stream stream{&context};
  Operation requested, written, finished;
  grpc::ByteBuffer incoming;
};

// A generated service whose methods are all raw, so that a message's size is known before it is
// parsed. Must outlive the server that it is registered with.
template <class Generated>
class RawService final : public Generated::Service {
 public:
  RawService() {
    for (int i = 0; i < Description().method_count(); ++i) this->MarkMethodRaw(i);
  }

  static int IndexOf(const char* method) { return Description().FindMethodByName(method)->index(); }

  // Ask gRPC for the next call of a method.
  void Request(int index, RawCall<UnaryWriter>* call, grpc::ServerCompletionQueue* queue) {
    this->RequestAsyncUnary(index, &call->context, &call->incoming, &call->stream, queue, queue,
                            call->requested.Start());
  }
  void Request(int index, RawCall<StreamWriter>* call, grpc::ServerCompletionQueue* queue) {
    this->RequestAsyncServerStreaming(index, &call->context, &call->incoming, &call->stream, queue,
                                      queue, call->requested.Start());
  }
  void Request(int index, RawCall<TwoWayStream>* call, grpc::ServerCompletionQueue* queue) {
    this->RequestAsyncBidiStreaming(index, &call->context, &call->stream, queue, queue,
                                    call->requested.Start());
  }

 private:
  static const google::protobuf::ServiceDescriptor& Description() {
    return *google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(
        Generated::service_full_name());
  }
};

// Completes when gRPC reports that the call is over, for any reason. Must be awaited before the
// call's memory goes. Other threads may ask whether work on it is in vain. Never completes for a
// call that did not begin.
class CallEnd final : public Operation {
 public:
  explicit CallEnd(grpc::ServerContext& context) : context_(context) {}

  // Makes the end interrupt an operation of the same call, which outlives it.
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
  Operation* waiting_ = nullptr;
  bool is_cancelled_ = false;
  std::atomic<bool> is_in_vain_ = false;
};

// Ends a session that says nothing, so that its place becomes free. Pending from Await() until the
// message came or its time is over. Must be awaited before it goes. For the polling thread alone.
class FirstMessage final : public Operation {
 public:
  // Interrupts `read`, which waits for the message, once its time is over.
  explicit FirstMessage(Operation& read) : read_(read) {}

  // Infinite: the message may come at any time. No effect after the first call.
  void Await(grpc::CompletionQueue* queue, absl::Duration most) {
    if (std::exchange(has_begun_, true) || most == absl::InfiniteDuration()) return;
    Start();
    CompleteAfter(most, alarm_, queue, this);
  }
  // No effect after the first call.
  void Came() {
    if (!std::exchange(has_come_, true)) alarm_.Cancel();
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

// Ends a call that must end though its client does not take the last message written. For the
// polling thread alone.
class ReplyPatience {
 public:
  // `written` is the write operation of the call, which has one write at a time.
  ReplyPatience(Poller& poller, grpc::ServerContext& context, const Operation& written)
      : poller_(poller), context_(context), written_(written) {}

  // Called at every look once the call must end. A pending write has its time. When that is over,
  // lookers are called again; then the call is cancelled.
  void Urge() {
    if (!since_.has_value()) since_ = SteadyNow();
    if (!written_.is_pending()) return;
    if (SteadyNow() - *since_ < kPatience) return poller_.LookLater(kPatience);
    context_.TryCancel();
  }

 private:
  // A message on its way to a client that takes it is taken by then.
  static constexpr absl::Duration kPatience = absl::Milliseconds(250);

  Poller& poller_;
  grpc::ServerContext& context_;
  const Operation& written_;
  std::optional<SteadyTime> since_;
};

// The bytes that a call holds, with a wait for room that can be awaited. For the polling thread
// alone. Requires: room() is not pending at the end.
class ByteAccount final : public ShareLedger::Part {
 public:
  ByteAccount(ShareLedger& bytes, std::string_view caller, grpc::CompletionQueue* queue)
      : Part(bytes, caller), room_(queue) {}

  // Starts room(), which completes once there is room, or once waiting is stopped.
  void AwaitRoom() {
    room_.Arm();
    WaitForRoom();
  }
  Operation& room() { return room_; }

 private:
  void Wake() override { room_.Wake(); }

  Signal room_;
};

// Returns the most objects (server/guard/object_count.h) in a message about one shape.
std::uint64_t MostObjectsOfOneShape(const Limits& limits);

// Returns RESOURCE_EXHAUSTED for a message of more than `limits.max_request_bytes`, or one that
// would be parsed into more than `most` objects.
absl::Status CheckMessage(grpc::ByteBuffer* bytes, const google::protobuf::Descriptor& type,
                          std::uint64_t most, const Limits& limits);

// Returns false if the bytes are not such a message. Takes the bytes.
bool ParseMessage(grpc::ByteBuffer* bytes, google::protobuf::MessageLite* message);

// Returns INVALID_ARGUMENT for bytes that are not such a message.
absl::Status RefuseMalformed(const google::protobuf::MessageLite& message);

// Takes a message that may be about many shapes. Fails as the three above.
absl::Status TakeRequest(grpc::ByteBuffer* bytes, const Limits& limits,
                         google::protobuf::Message* request);

// Takes a message of at most so many bytes of a service that is not clearance's own. Fails with
// INVALID_ARGUMENT.
grpc::Status TakeShort(grpc::ByteBuffer* bytes, std::size_t most,
                       google::protobuf::MessageLite* message);

grpc::ByteBuffer SerializeMessage(const google::protobuf::MessageLite& message);

// Returns the status with the refusal in its details.
grpc::Status ToGrpcStatus(const absl::Status& status);

}  // namespace clearance::server
