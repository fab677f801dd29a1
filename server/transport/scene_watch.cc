// SPDX-License-Identifier: Apache-2.0

#include "server/transport/scene_watch.h"

#include <grpc/support/time.h>
#include <grpcpp/alarm.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "clearance/v1/scene_watch.pb.h"
#include "server/guard/quota.h"
#include "server/guard/refusal.h"
#include "server/guard/share_ledger.h"
#include "server/registry/caller_registry.h"
#include "server/schedule/work.h"
#include "server/services/asks_by_name.h"
#include "server/services/scene_follower.h"
#include "server/session/call_scope.h"
#include "server/transport/admission.h"
#include "server/transport/byte_account.h"
#include "server/transport/offload.h"
#include "server/transport/reply_patience.h"
#include "server/transport/unary.h"
#include "server/transport/wait_for_freshness.h"

namespace clearance::server {
namespace {

// Lets one coroutine wait for the registry's next news: Start(), look at the registry, await
// told(). Only the queue's polling thread uses Start, Stop and told.
class SceneSignal final : public SceneObserver, public KnownEnds {
 public:
  explicit SceneSignal(grpc::CompletionQueue* queue) : queue_(queue) {}

  // From here on all news is noticed.
  void Start() {
    if (told_.is_pending()) return;
    told_.Start();
    const std::lock_guard lock(mutex_);
    is_armed_ = true;
  }
  // Completes told() even if nothing is told.
  void Stop() {
    const std::lock_guard lock(mutex_);
    Wake();
  }
  Operation& told() { return told_; }

  // From here on only the end of this incarnation is of interest.
  void Follow(std::uint64_t incarnation) {
    const std::lock_guard lock(mutex_);
    followed_ = incarnation;
  }
  // Returns how the scene of this incarnation ended, as far as it was told. Any thread may call it.
  std::optional<SceneEnd> EndOf(std::uint64_t incarnation) override {
    const std::lock_guard lock(mutex_);
    return incarnation == ended_incarnation_ ? end_ : std::nullopt;
  }

  void SceneChanged() override {
    const std::lock_guard lock(mutex_);
    Wake();
  }
  void SceneEnded(std::uint64_t incarnation, SceneEnd end) override {
    const std::lock_guard lock(mutex_);
    if (followed_.value_or(incarnation) == incarnation) {
      ended_incarnation_ = incarnation;
      end_ = end;
    }
    Wake();
  }

 private:
  // Requires: mutex_ is held.
  void Wake() {
    if (!is_armed_) return;
    is_armed_ = false;
    alarm_.Set(queue_, gpr_time_0(GPR_CLOCK_MONOTONIC), static_cast<Completion*>(&told_));
  }

  grpc::CompletionQueue* const queue_;
  Operation told_;
  grpc::Alarm alarm_;
  std::mutex mutex_;  // guards the members below, and alarm_
  bool is_armed_ = false;
  std::optional<std::uint64_t> followed_;
  std::uint64_t ended_incarnation_ = 0;
  std::optional<SceneEnd> end_;
};

// Keeps the signal among the registry's observers.
class Observation {
 public:
  Observation(SceneRegistry& scenes, const std::string& name, SceneSignal* signal)
      : scenes_(scenes), name_(name), signal_(signal) {
    scenes_.AddObserver(name_, signal_);
  }
  ~Observation() { scenes_.RemoveObserver(name_, signal_); }
  Observation(const Observation&) = delete;
  Observation& operator=(const Observation&) = delete;

 private:
  SceneRegistry& scenes_;
  const std::string name_;
  SceneSignal* const signal_;
};

struct WatchStream {
  explicit WatchStream(Poller& poller)
      : signal(poller.queue()), end(context, &signal.told()), on_drain(poller, signal.told()) {}

  // Completes `requested` with the next call, or without one if the server ends.
  void Request(const RequestWatchScene& request, Poller& poller) {
    end.Await();
    request(&context, &incoming, &writer, poller.queue(), requested.Start());
  }

  grpc::ServerContext context;
  SceneWriter writer{&context};
  SceneSignal signal;
  CallEnd end;
  Operation requested, written, finished;
  Poller::Watch on_drain;
  grpc::ByteBuffer incoming;
};

// Far longer than any name and etag. The request is kept as long as the call.
absl::Status RequireFewBytes(const grpc::ByteBuffer& incoming) {
  constexpr std::uint64_t kMostBytes = 4096;
  if (incoming.Length() <= kMostBytes) return absl::OkStatus();
  return Refuse(absl::StatusCode::kInvalidArgument,
                {.reason = Reason::kMessageTooLarge,
                 .field = "",
                 .value = FormatNumber(std::uint64_t{incoming.Length()}) + " bytes",
                 .limit = "<= " + FormatNumber(kMostBytes) + " bytes",
                 .message = "The message is longer than any WatchSceneRequest."});
}

// A look at so many pages is no longer cheap.
std::uint64_t CostOfLook(const SceneFollower& follower) {
  constexpr std::uint64_t kCheapBodies = 1'000;
  return follower.body_count() > kCheapBodies ? kDear : 0;
}

// A watcher, and everything that its looks need.
class Watcher {
 public:
  Watcher(ServerParts& parts, WatchStream& call, Poller& poller)
      : admission_(parts, RpcMethod::kWatchScene, call.context),
        registry_(parts.registry, admission_.caller(), parts.audit),
        scope_{parts, admission_.caller(), registry_},
        place_(parts.watches),
        poller_(poller),
        work_(parts.workers),
        bytes(parts.bytes, admission_.caller().holder(), poller.queue()),
        follower(scope_),
        told_(call.signal.told()),
        patience_(poller, call.context, call.written),
        on_look_(poller, [this] { Look(); }) {}

  // Checks that the caller may have this watch, and takes a place for it.
  absl::Status Admit(grpc::ByteBuffer* incoming, v1::WatchSceneRequest* request) {
    absl::Status status = admission_.Check();
    if (status.ok()) status = RequireProcessorTime(scope_);
    Arrears(admission_.caller()).Receive(incoming->Length());
    if (status.ok()) status = RequireFewBytes(*incoming);
    if (status.ok()) status = TakeRequest(incoming, scope_.parts.limits, request);
    incoming->Clear();
    if (status.ok()) status = RequireReach(*request);
    if (!status.ok()) return status;
    place_.Join(admission_.caller().holder());
    status = place_.Take(1);
    if (!status.ok()) scope_.parts.metrics.watches_refused().Increment();
    return status;
  }

  // Returns the freshness to await before the first look; null: none.
  Freshness* FreshnessFor(const v1::WatchSceneRequest& request) const {
    Freshness* const freshness = scope_.parts.ledger.freshness();
    const bool asks =
        freshness != nullptr && AsksForScene(scope_, request.name(), request.from_revision());
    return asks ? freshness : nullptr;
  }

  // Checks that the caller still may have it.
  absl::Status Check(const v1::WatchSceneRequest& request) {
    if (!admission_.is_outdated()) return admission_.status();
    absl::Status status = admission_.Check();
    return status.ok() ? RequireReach(request) : status;
  }
  const Caller& caller() const { return scope_.caller; }
  bool is_draining() const { return poller_.is_draining(); }

  // Takes room for a response, as far as it is not held already.
  absl::Status TakeRoom(std::uint64_t response_bytes) {
    return CountShed(scope_.parts.metrics, bytes.TakeUpTo(response_bytes));
  }

  // Returns the place of the next look.
  Offload::Where Place() {
    return {work_, scope_.caller.group(), poller_.queue(), CostOfLook(follower)};
  }

 private:
  absl::Status RequireReach(const v1::WatchSceneRequest& request) const {
    const CallerScenes scenes(*scope_.parts.scenes, scope_.caller, scope_.parts.audit);
    return scenes.RequireReach(request.name(), "name");
  }

  // If the rules are new, a call that waits for news goes on, and comes to Check().
  void Look() {
    const bool is_outdated = admission_.is_outdated();
    if (!admission_.CheckAside().ok()) patience_.Urge();
    // Last, because it may end this call.
    if (is_outdated) told_.Interrupt();
  }

  Admission admission_;
  CallerRegistry registry_;
  const CallScope scope_;
  ShareLedger::Part place_;
  Poller& poller_;
  WorkerPool::Account work_;

 public:
  ByteAccount bytes;
  SceneFollower follower;

 private:
  Operation& told_;
  ReplyPatience patience_;
  const Poller::Looker on_look_;
};

absl::Status DrainingWatch() {
  return absl::UnavailableError("draining: watch again, from the revision told last");
}

// Tells the scene's news until the watch ends. Returns why it ended; OK if that needs no reason.
// NOLINTNEXTLINE(readability-function-cognitive-complexity): every co_await counts as hidden branches of the language
Task<absl::Status> TellOfScene(WatchStream& call, Watcher& watcher,
                               const v1::WatchSceneRequest& request, CallAccount& account) {
  SceneFollower& follower = watcher.follower;
  Operation& told = call.signal.told();
  absl::Status status;
  while (status.ok() && call.end.is_pending() && !follower.has_ended()) {
    call.signal.Start();
    // If a drain begins later, the next round says so.
    const bool is_draining = watcher.is_draining();
    v1::WatchSceneResponse response;
    bool is_new = false;
    Offload looking(watcher.Place(), [&](Parts*) {
      const ProcessorMeter meter(watcher.caller());
      const absl::StatusOr<bool> next = follower.Next(call.signal, &response);
      status = next.status();
      is_new = next.ok() && *next;
    });
    co_await looking;
    if (status.ok()) status = watcher.Check(request);
    if (status.ok() && is_new) status = watcher.TakeRoom(response.ByteSizeLong());
    if (!status.ok()) break;
    if (is_new) {
      call.writer.Write(SerializeMessage(response), call.written.Start());
      const bool is_taken = co_await call.written;
      watcher.bytes.Release();
      if (!is_taken) break;
      account.MessageSent();
    }
    if (is_draining && !follower.has_ended()) status = DrainingWatch();
    const bool has_to_wait = status.ok() && !is_new && !watcher.is_draining();
    if (has_to_wait && call.end.is_pending()) co_await told;
  }
  co_return status;
}

}  // namespace

// NOLINTNEXTLINE(readability-function-cognitive-complexity): every co_await counts as hidden branches of the language
Detached ServeSceneWatches(ServerParts& parts, const RequestWatchScene& request, Poller& poller) {
  const Poller::Presence presence(poller);
  WatchStream call(poller);
  call.Request(request, poller);
  if (!co_await call.requested) co_return;
  ServeSceneWatches(parts, request, poller);

  CallAccount account(parts.metrics.Rpc(RpcMethod::kWatchScene));
  account.MessageReceived();
  const SteadyTime deadline = DeadlineOf(call.context);
  Operation& told = call.signal.told();
  Watcher watcher(parts, call, poller);
  SceneFollower& follower = watcher.follower;
  v1::WatchSceneRequest message;
  absl::Status status = watcher.Admit(&call.incoming, &message);
  if (status.ok()) {
    WaitForFreshness fresh(watcher.FreshnessFor(message), poller.queue());
    status = co_await fresh;
  }
  std::optional<Observation> observation;
  if (status.ok()) {
    // Before the first look, so that everything told after it is noticed.
    observation.emplace(*parts.scenes, message.name(), &call.signal);
    status = follower.Begin(message);
    if (status.ok()) call.signal.Follow(follower.incarnation());
  }
  if (status.ok()) status = co_await TellOfScene(call, watcher, message, account);
  observation.reset();
  call.signal.Stop();
  // An interrupt may come before the completion does.
  while (told.is_pending()) co_await told;
  CountRefusal(parts.metrics, status);
  call.writer.Finish(ToGrpcStatus(status), call.finished.Start());
  co_await call.finished;
  co_await call.end;
  account.EndsWith(EndCode(call.end, deadline, status.code()));
}

}  // namespace clearance::server
