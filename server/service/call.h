// SPDX-License-Identifier: Apache-2.0
//
// What every call works with: the parts of the server, its own clock, and its entry in the
// accounts.

#ifndef CLEARANCE_SERVER_SERVICE_CALL_H_
#define CLEARANCE_SERVER_SERVICE_CALL_H_

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
#include "server/engine/answer_check.h"
#include "server/observe/metrics.h"
#include "server/registry/registry.h"
#include "server/service/completion.h"
#include "server/service/worker_pool.h"

namespace clearance::server {

// Borrowed; outlives every call.
struct ServerParts {
  const Limits& limits;
  Registry& registry;
  Metrics& metrics;
  WorkerPool& workers;
  AnswerChecker* checker = nullptr;  // null: no answer is checked
  std::atomic<std::uint64_t> sessions = 0;
};

// Work is measured in units of about a microsecond; up to this much is done on the polling thread.
inline constexpr std::uint64_t kMaxCheapCost = 1000;
inline constexpr std::uint64_t kDear = kMaxCheapCost + 1;

// Told by gRPC that the call is over, for whatever reason, and to be awaited before the call's
// memory goes; other threads may ask whether it was cancelled. Never completes for a call that did
// not begin.
class CallEnd final : public Operation {
 public:
  explicit CallEnd(grpc::ServerContext& context) : context_(context) {}

  // Requires: called before the call is requested.
  void Await() { context_.AsyncNotifyWhenDone(Start()); }

  void Complete(bool ok) override {
    is_cancelled_.store(context_.IsCancelled(), std::memory_order_relaxed);
    Operation::Complete(ok);
  }

  bool is_cancelled() const { return is_cancelled_.load(std::memory_order_relaxed); }

 private:
  grpc::ServerContext& context_;
  std::atomic<bool> is_cancelled_ = false;
};

// When work on one message has to stop. Thread-safe.
class StopRule {
 public:
  StopRule(const CallEnd& end, absl::Time arrival, absl::Time deadline)
      : end_(end), arrival_(arrival), deadline_(deadline) {}

  bool ShouldStop() const { return end_.is_cancelled() || absl::Now() >= deadline_; }
  // The same, and no later than `budget` after the message's arrival.
  StopRule Within(absl::Duration budget) const {
    return StopRule(end_, arrival_, std::min(deadline_, arrival_ + budget));
  }

 private:
  const CallEnd& end_;
  absl::Time arrival_;
  absl::Time deadline_;
};

// What a call ended with: `code` unless it was cancelled, by its deadline or otherwise.
absl::StatusCode EndCode(const CallEnd& end, absl::Time deadline, absl::StatusCode code);

// Counts one call in the metrics from its beginning to its end.
class CallAccount {
 public:
  explicit CallAccount(RpcSeries& series) : series_(series), began_(absl::Now()) {
    series_.Started();
  }
  ~CallAccount() { series_.Handled(code_, absl::Now() - began_); }
  CallAccount(const CallAccount&) = delete;
  CallAccount& operator=(const CallAccount&) = delete;

  void MessageReceived() { series_.MessageReceived(); }
  void MessageSent() { series_.MessageSent(); }
  void EndsWith(absl::StatusCode code) { code_ = static_cast<int>(code); }

 private:
  RpcSeries& series_;
  const absl::Time began_;
  int code_ = static_cast<int>(absl::StatusCode::kCancelled);
};

// RESOURCE_EXHAUSTED for a message of more than `limits.max_request_bytes`.
absl::Status CheckSize(const grpc::ByteBuffer& bytes, const Limits& limits);

// False where the bytes are no such message. Takes the bytes.
bool ParseMessage(grpc::ByteBuffer* bytes, google::protobuf::MessageLite* message);

grpc::ByteBuffer SerializeMessage(const google::protobuf::MessageLite& message);

// With the refusal in the details.
grpc::Status ToGrpcStatus(const absl::Status& status);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SERVICE_CALL_H_
