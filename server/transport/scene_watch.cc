// SPDX-License-Identifier: Apache-2.0

#include "server/services/asks_by_name.h"
#include "server/services/scene_follower.h"
#include "server/transport/admission.h"
#include "server/transport/methods.h"

namespace clearance::server {
namespace {

// Completes with the registry's next news of a scene, and keeps how the scene ended.
class SceneSignal final : public Signal, public SceneObserver {
 public:
  using Signal::Signal;

  // From here on only the end of this incarnation is of interest.
  void Follow(std::uint64_t incarnation) {
    const std::lock_guard lock(mutex_);
    followed_ = incarnation;
  }
  // Returns how the scene of this incarnation ended, as far as it was told. Any thread may call it.
  std::optional<SceneEnd> EndOf(std::uint64_t incarnation) {
    const std::lock_guard lock(mutex_);
    return incarnation == ended_incarnation_ ? end_ : std::nullopt;
  }

  void SceneChanged() override { Wake(); }
  void SceneEnded(std::uint64_t incarnation, SceneEnd end) override {
    {
      const std::lock_guard lock(mutex_);
      if (followed_.value_or(incarnation) == incarnation) {
        ended_incarnation_ = incarnation;
        end_ = end;
      }
    }
    Wake();
  }

 private:
  std::mutex mutex_;  // guards the members below
  std::optional<std::uint64_t> followed_;
  std::uint64_t ended_incarnation_ = 0;
  std::optional<SceneEnd> end_;
};

// Sleeps until the registry tells it of news, it ends or the poller drains.
struct WatchStream : RawCall<StreamWriter> {
  explicit WatchStream(Poller& poller) : news(poller.queue()) { end.Interrupts(&news); }

  SceneSignal news;
  CallEnd end{context};
};

// Far longer than any name and etag. The request is kept as long as the call.
absl::Status RequireFewBytes(const grpc::ByteBuffer& incoming) {
  constexpr std::uint64_t kMostBytes = 4096;
  if (incoming.Length() <= kMostBytes) return absl::OkStatus();
  return RefuseArgument({.reason = Reason::kMessageTooLarge,
                         .value = FormatNumber(std::uint64_t{incoming.Length()}) + " bytes",
                         .limit = "<= " + FormatNumber(kMostBytes) + " bytes",
                         .message = "The message is longer than any WatchSceneRequest."});
}

// A watcher, and everything that its looks need.
class Watcher : public ServedCall {
 public:
  Watcher(ServerParts& parts, WatchStream& call, Poller& where)
      : ServedCall(parts, RpcMethod::kWatchScene, call.context, where),
        call_(call),
        place_(parts.watches),
        follower_(scope),
        patience_(where, call.context, call.written),
        on_look_(poller, [this] { Look(); }) {}

  // Takes the request in. Checks that the caller may have this watch, and takes a place for it.
  absl::Status Admit() {
    absl::Status status = admission.Check();
    if (status.ok()) status = RequireProcessorTime(scope);
    arrears.Receive(call_.incoming.Length());
    arrears.Pay();
    if (status.ok()) status = RequireFewBytes(call_.incoming);
    if (status.ok()) status = TakeRequest(&call_.incoming, scope.parts.limits, &request_);
    call_.incoming.Clear();
    if (status.ok()) status = RequireReach();
    if (!status.ok()) return status;
    place_.Join(scope.caller.holder());
    status = place_.Take(1);
    if (!status.ok()) scope.parts.metrics.watches_refused().Increment();
    return status;
  }

  const v1::WatchSceneRequest& request() const { return request_; }

  // Begins to notice the scene's news, before the first look; requires admission.
  absl::Status Begin() {
    scope.parts.scenes->AddObserver(request_.name(), &call_.news);
    absl::Status status = follower_.Begin(request_);
    if (status.ok()) call_.news.Follow(follower_.incarnation());
    return status;
  }
  void End() { scope.parts.scenes->RemoveObserver(request_.name(), &call_.news); }

  // Tells the scene's news until the watch ends. Returns why it ended; OK if that needs no reason.
  // NOLINTNEXTLINE(readability-function-cognitive-complexity): every co_await counts as hidden branches of the language
  Task<absl::Status> Tell() {
    absl::Status status;
    while (status.ok() && call_.end.is_pending() && !follower_.has_ended()) {
      call_.news.Arm();
      // If a drain begins later, the next round says so.
      const bool is_draining = poller.is_draining();
      v1::WatchSceneResponse response;
      bool is_new = false;
      Offload looking(Place(CostOfLook()), [&](Parts*) {
        const ProcessorMeter meter(scope.caller);
        const auto end_of = [&](std::uint64_t scene) { return call_.news.EndOf(scene); };
        const absl::StatusOr<bool> next = follower_.Next(end_of, &response);
        status = next.status();
        is_new = next.ok() && *next;
      });
      co_await looking;
      if (status.ok()) status = Check();
      if (status.ok() && is_new) {
        // As far as it is not held already.
        status = CountShed(scope.parts.metrics, bytes.TakeUpTo(response.ByteSizeLong()));
      }
      if (!status.ok()) break;
      if (is_new) {
        call_.stream.Write(SerializeMessage(response), call_.written.Start());
        const bool is_taken = co_await call_.written;
        bytes.Release();
        if (!is_taken) break;
        series.MessageSent();
      }
      if (is_draining && !follower_.has_ended())
        status = absl::UnavailableError("draining: watch again, from the revision told last");
      const bool has_to_wait = status.ok() && !is_new && !poller.is_draining();
      if (has_to_wait && call_.end.is_pending()) co_await call_.news;
    }
    co_return status;
  }

 private:
  // A look at a scene of many bodies reads so many pages of it that a worker must do it.
  std::uint64_t CostOfLook() const {
    constexpr std::uint64_t kMostCheapBodies = 1'000;
    return follower_.body_count() > kMostCheapBodies ? kDear : 0;
  }

  // Checks that the caller still may have it.
  absl::Status Check() {
    if (!admission.is_outdated()) return admission.status();
    absl::Status status = admission.Check();
    return status.ok() ? RequireReach() : status;
  }

  absl::Status RequireReach() const {
    return ScenesOf(scope).RequireReach(request_.name(), "name");
  }

  // If the rules are new or the poller drains, a call that waits for news goes on, and finds out.
  void Look() {
    const bool is_outdated = admission.is_outdated();
    if (!admission.CheckAside().ok()) patience_.Urge();
    // Last, because it may end this call.
    if (is_outdated || poller.is_draining()) call_.news.Interrupt();
  }

  WatchStream& call_;
  ShareLedger::Part place_;
  v1::WatchSceneRequest request_;
  SceneFollower follower_;
  ReplyPatience patience_;
  const Poller::Hook on_look_;
};

}  // namespace

// NOLINTNEXTLINE(readability-function-cognitive-complexity): every co_await counts as hidden branches of the language
Detached ServeSceneWatches(ServerParts& parts, RawService<v1::SceneService>& service,
                           Poller& poller) {
  const Poller::Presence presence(poller);
  WatchStream call(poller);
  call.end.Await();
  service.Request(service.IndexOf("WatchScene"), &call, poller.queue());
  if (!co_await call.requested) co_return;
  ServeSceneWatches(parts, service, poller);

  Watcher watcher(parts, call, poller);
  watcher.series.MessageReceived();
  absl::Status status = watcher.Admit();
  if (status.ok()) {
    Awaited<absl::Status> fresh = watcher.WhenFresh(FreshnessFor(watcher.scope, watcher.request()));
    status = co_await fresh;
  }
  if (status.ok()) {
    status = watcher.Begin();
    if (status.ok()) status = co_await watcher.Tell();
    watcher.End();
  }
  call.news.Wake();
  // An interrupt may come before the completion does.
  while (call.news.is_pending()) co_await call.news;
  CountRefusal(parts.metrics, status);
  call.stream.Finish(ToGrpcStatus(status), call.finished.Start());
  co_await call.finished;
  co_await call.end;
  watcher.EndsWith(call.end, status.code());
}

}  // namespace clearance::server
