// SPDX-License-Identifier: Apache-2.0
//
// What every call works with: the parts of the server, its own clock, and its entry in the
// accounts.

#ifndef CLEARANCE_SERVER_SERVICE_CALL_H_
#define CLEARANCE_SERVER_SERVICE_CALL_H_

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
#include "server/engine/answer_check.h"
#include "server/guard/audit.h"
#include "server/guard/authenticator.h"
#include "server/guard/caller.h"
#include "server/guard/refusal_log.h"
#include "server/observe/metrics.h"
#include "server/observe/steady_clock.h"
#include "server/registry/caller_registry.h"
#include "server/registry/registry.h"
#include "server/registry/scene_registry.h"
#include "server/registry/shared_bytes.h"
#include "server/registry/track_registry.h"
#include "server/service/byte_budget.h"
#include "server/service/completion.h"
#include "server/service/placed.h"
#include "server/service/refused_calls.h"
#include "server/service/seats.h"
#include "server/service/worker_pool.h"
#include "server/storage/shape_ledger.h"

namespace clearance::server {

// Borrowed; outlives every call.
struct ServerParts {
  const Limits& limits;
  Registry& registry;
  Metrics& metrics;
  WorkerPool& workers;
  ShapeLedger& ledger;                     // through which alone the registry changes
  SceneRegistry* scenes = nullptr;         // null: no method of SceneService is called
  AnswerChecker* checker = nullptr;        // null: no answer is checked
  Authenticator* authenticator = nullptr;  // null: everybody may do everything
  const Audit* audit = nullptr;            // null: changes of the registry are not written down
  RefusalLog* refusal_log = nullptr;       // null: nor are those who were not let in
  ByteBudget bytes = ByteBudget();
  TrackRegistry* tracks = nullptr;  // null: no session is asked about tracks
  Seats sessions{{"max_sessions", limits.max_sessions}, metrics.sessions_open()};
  Seats watches{{"max_watches", limits.max_watches},
                metrics.watches(),
                {"max_caller_watches", limits.max_caller_watches}};
  // Mutable: sessions know these parts as constant.
  mutable Seats track_seats{{"max_tracks", limits.max_tracks},
                            metrics.tracks(),
                            {"max_caller_tracks", limits.max_caller_tracks}};
  SharedBytes* session_bytes = nullptr;   // of sessions together; null: nothing is bounded
  RefusedCalls* refused_calls = nullptr;  // null: nobody counts them
  absl::Duration first_message_timeout = absl::InfiniteDuration();
};

// What the messages of one call are answered with. Shapes are reached through `registry` alone,
// which holds the caller to what it may. Borrowed; outlives the call.
struct CallScope {
  const ServerParts& parts;
  const Caller& caller;
  CallerRegistry& registry;
};

// Borrows the caller's.
inline CallIds IdsOf(const Caller& caller) { return {caller.request_id, caller.trace_id}; }

// Counts a refusal of bytes that may not be held (byte_budget.h).
absl::Status CountShed(Metrics& metrics, absl::Status status);

// Counts what was refused for a limit, by its name. Once where a status leaves the server.
void CountRefusal(Metrics& metrics, const absl::Status& status);

// RESOURCE_EXHAUSTED, counted, while the caller's principal has overdrawn its processor time.
absl::Status RequireProcessorTime(const CallScope& call);

// Told by gRPC that the call is over, for whatever reason, and to be awaited before the call's
// memory goes; other threads may ask whether work on it is in vain. Never completes for a call that
// did not begin.
class CallEnd final : public Operation {
 public:
  // The end interrupts `waiting`, an operation of the same call, if there is one.
  explicit CallEnd(grpc::ServerContext& context, Operation* waiting = nullptr)
      : context_(context), waiting_(waiting) {}

  // The end interrupts this instead. It outlives the call's end, or is let go of with null.
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

  // Nobody is told any more what comes of it: since it was cancelled, or because of this.
  void StopWork() { is_in_vain_.store(true, std::memory_order_relaxed); }
  bool is_in_vain() const { return is_in_vain_.load(std::memory_order_relaxed); }

 private:
  grpc::ServerContext& context_;
  Operation* waiting_;
  bool is_cancelled_ = false;
  std::atomic<bool> is_in_vain_ = false;
};

// When work on one message must stop. Thread-safe.
class StopRule {
 public:
  StopRule(const CallEnd& end, SteadyTime arrival, SteadyTime deadline)
      : end_(end), arrival_(arrival), deadline_(deadline) {}

  bool ShouldStop() const { return end_.is_in_vain() || SteadyNow() >= deadline_; }
  // The same, and no later than `budget` after the message's arrival.
  StopRule Within(absl::Duration budget) const {
    return StopRule(end_, arrival_, std::min(deadline_, arrival_ + budget));
  }

 private:
  const CallEnd& end_;
  SteadyTime arrival_;
  SteadyTime deadline_;
};

// By the steady clock. gRPC tells the deadline by the wall clock of the moment when it is asked: a
// point in time that the next jump of that clock makes another one.
SteadyTime DeadlineOf(const grpc::ServerContext& context);

// What a call ended with: `code` unless it was cancelled, by its deadline or otherwise.
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

// RESOURCE_EXHAUSTED for a message of more than `limits.max_request_bytes`.
absl::Status CheckSize(const grpc::ByteBuffer& bytes, const Limits& limits);

// The most objects (server/guard/object_count.h) in a message about one shape, and in one of so
// many bytes about many.
std::uint64_t MostObjectsOfOneShape(const Limits& limits);
std::uint64_t MostObjectsOfManyShapes(const Limits& limits, std::uint64_t bytes);

// RESOURCE_EXHAUSTED for a message that would be parsed into more than `most` objects.
absl::Status CheckObjects(grpc::ByteBuffer* bytes, const google::protobuf::Descriptor& type,
                          std::uint64_t most);

// False where the bytes are no such message. Takes the bytes.
bool ParseMessage(grpc::ByteBuffer* bytes, google::protobuf::MessageLite* message);

grpc::ByteBuffer SerializeMessage(const google::protobuf::MessageLite& message);

// With the refusal in the details.
grpc::Status ToGrpcStatus(const absl::Status& status);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SERVICE_CALL_H_
