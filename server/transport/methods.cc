// SPDX-License-Identifier: Apache-2.0
//
// Unary methods: one coroutine serves them all, whatever their messages, and a table says how they
// differ.

#include "server/transport/methods.h"

#include <google/protobuf/arena.h>

#include "server/convert/wire_errors.h"
#include "server/services/asks_by_name.h"
#include "server/services/methods.h"
#include "server/session/batch_job.h"
#include "server/session/shape_reference.h"
#include "server/transport/admission.h"

namespace clearance::server {

// The method that a request is for.
template <class Request>
struct MethodOf;
#define METHOD(name, service, type, role)                 \
  template <>                                             \
  struct MethodOf<v1::name##Request> {                    \
    using Response = v1::name##Response;                  \
    using Service = RawService<v1::service>;              \
    static constexpr RpcMethod kRpc = RpcMethod::k##name; \
  };
#include "proto/methods.def"

// One method: the cost of a call (in units of kMaxCheapCost), and its answer, which may leave
// parts. A method that changes the registry has, instead of `answer`, a `plan` of the changes, and
// `conclude`, which answers from their outcomes. One that may also answer at once has
// `answer_or_plan` instead of `plan`: it answers or plans changes.
template <class Request>
struct UnaryMethod {
  using Response = typename MethodOf<Request>::Response;
  template <class... Arguments>
  using Step = std::function<absl::Status(const CallScope&, const Request&, Arguments...)>;

  int index = MethodOf<Request>::Service::IndexOf(InfoOf(MethodOf<Request>::kRpc).method);
  std::function<std::uint64_t(const CallScope&, const Request&)> cost =
      [](const CallScope&, const Request&) { return 0; };
  // The cost of the work that cannot be cut into parts. Null: all of it for a method that changes
  // the registry, else nothing.
  std::function<std::uint64_t(const Request&)> whole_cost = nullptr;
  // Returns an upper bound of the answer's bytes, as far as known before it; 0: they are few.
  std::function<std::uint64_t(const Request&, const Limits&)> reply_bytes =
      [](const Request&, const Limits&) { return 0; };
  Step<const StopRule&, Response*, Parts*> answer = nullptr;
  Step<const StopRule&, std::vector<ShapeChange>*, Parts*> plan = nullptr;
  Step<Response*, std::vector<ShapeChange>*> answer_or_plan = nullptr;
  Step<std::vector<ShapeOutcome>, Response*> conclude = nullptr;

  // If true, the reply may be of any size, because the registry has changed.
  bool may_change() const { return plan != nullptr || answer_or_plan != nullptr; }
  std::uint64_t WholeCostOf(const Request& request, std::uint64_t all) const {
    if (whole_cost) return whole_cost(request);
    return may_change() ? all : 0;
  }

  // Does the work that comes before anything is stored.
  // NOLINTNEXTLINE(readability-function-size): one parameter for each thing that an answer is about
  absl::Status Begin(const CallScope& scope, const Request& request, const StopRule& stop,
                     Response* response, std::vector<ShapeChange>* changes, Parts* left) const {
    if (plan) return plan(scope, request, stop, changes, left);
    if (answer_or_plan) return answer_or_plan(scope, request, response, changes);
    return answer(scope, request, stop, response, left);
  }
};

namespace {

struct UnaryCall : RawCall<UnaryWriter> {
  CallEnd end{context};
};

// Returns RESOURCE_EXHAUSTED, and counts it, unless the message had a turn (Poller::Turn).
absl::Status RequireTurn(Metrics& metrics, bool had_turn) {
  if (had_turn) return absl::OkStatus();
  metrics.shed(ShedReason::kShare).Increment();
  return RefuseMore(
      {.limit = "waiting calls", .advice = "await replies", .retry_after = absl::Milliseconds(200)},
      {.given = "one call more", .most = Poller::kMostWaiting});
}

// Takes the changes, and awaits that they are stored and made. The result is one outcome a change.
using Outcomes = Awaited<std::vector<ShapeOutcome>>;
Outcomes Settle(ShapeLedger& ledger, std::vector<ShapeChange>* changes,
                grpc::CompletionQueue* queue) {
  if (changes->empty()) return Outcomes(queue, nullptr);
  return Outcomes(queue, [&ledger, changes](Outcomes::Done done) {
    ledger.Submit(std::move(*changes), std::move(done));
  });
}

// One call's work, and everything that it holds meanwhile.
template <class Request>
struct UnaryWork : ServedCall {
  using Response = typename MethodOf<Request>::Response;

  UnaryWork(const UnaryMethod<Request>& served, ServerParts& parts, UnaryCall& call, Poller& where)
      : ServedCall(parts, MethodOf<Request>::kRpc, call.context, where),
        method(served),
        stop(call.end.is_in_vain(), arrival, deadline) {}

  void Take(grpc::ByteBuffer* incoming, bool is_at_worker) {
    if (is_at_worker) status = RequireNotOver(scope.parts.metrics, stop);
    if (!status.ok()) return;
    arrears.Meter([&] { status = TakeRequest(incoming, scope.parts.limits, &request); });
  }

  // Makes the reply too, unless the call has changes to wait for.
  void Answer(const PendingWork& pending, Parts* left) {
    if (status.ok()) status = pending.RequireTimeLeft(stop);
    if (!status.ok()) return;
    {
      const ProcessorMeter meter(scope.caller);
      status = method.Begin(scope, request, stop, &response, &changes, left);
    }
    if (!status.ok() || method.may_change()) return;
    Conclude(left, [this] {
      const ProcessorMeter meter(scope.caller);
      reply = SerializeMessage(response);
    });
  }

  // Makes the whole reply. Those of `request_bytes` that are held already need no more room.
  void Finish(std::uint64_t request_bytes) {
    if (status.ok() && method.may_change()) {
      reply = SerializeMessage(response);
    } else if (status.ok()) {
      status = CountShed(scope.parts.metrics, bytes.TakeUpTo(request_bytes + reply.Length()));
    }
    if (!status.ok()) reply.Clear();  // no limit counts it
    CountRefusal(scope.parts.metrics, status);
    arrears.Pay();
  }

  const UnaryMethod<Request>& method;
  const StopRule stop;
  google::protobuf::Arena arena;
  Request& request = *google::protobuf::Arena::CreateMessage<Request>(&arena);
  Response& response = *google::protobuf::Arena::CreateMessage<Response>(&arena);
  absl::Status status = admission.Check();
  std::vector<ShapeChange> changes;
  grpc::ByteBuffer reply;
};

// Takes in a call's request and answers it, as far as its status is OK. Returns the status.
template <class Request>
// NOLINTNEXTLINE(readability-function-cognitive-complexity): every co_await counts as hidden branches of the language
Task<absl::Status> AnswerUnary(UnaryCall& call, UnaryWork<Request>& work) {
  const CallScope& scope = work.scope;
  const ServerParts& parts = scope.parts;
  absl::Status& status = work.status;
  const std::uint64_t request_bytes = call.incoming.Length();
  if (status.ok()) status = RequireProcessorTime(scope);
  work.arrears.Receive(request_bytes);
  if (status.ok()) status = work.TakeBytes(request_bytes);
  const bool had_turn = co_await work.Turn(!status.ok());
  if (status.ok()) status = RequireTurn(parts.metrics, had_turn);
  PendingWork pending(parts.metrics, parts.workers);
  if (status.ok()) {
    const std::uint64_t cost = CostOfTaking(request_bytes);
    Offload taking(work.Place(cost),
                   [&](Parts*) { work.Take(&call.incoming, cost > kMaxCheapCost); });
    co_await taking;
    pending.Add(taking.times());
  }
  call.incoming.Clear();
  if (status.ok()) status = work.TakeBytes(work.method.reply_bytes(work.request, parts.limits));
  if (status.ok()) {
    Awaited<absl::Status> fresh = work.WhenFresh(FreshnessFor(scope, work.request));
    status = co_await fresh;
  }
  if (!status.ok()) co_return status;
  const std::uint64_t cost = work.method.cost(scope, work.request);
  status = pending.Take(scope.caller.group(), cost);
  const std::uint64_t whole_cost = work.method.WholeCostOf(work.request, cost);
  Offload answering(status.ok() ? work.Place(cost, whole_cost, &pending) : work.Place(0),
                    [&](Parts* left) { work.Answer(pending, left); });
  co_await answering;
  pending.Add(answering.times());
  co_return status;
}

// Waits for calls of the method on this poller, serves them and lets another wait meanwhile. Ends
// when the server shuts down. All references outlive it.
template <class Request>
// NOLINTNEXTLINE(readability-function-cognitive-complexity): every co_await counts as hidden branches of the language
Detached ServeUnary(ServerParts& parts, const UnaryMethod<Request>& method,
                    typename MethodOf<Request>::Service& service, Poller& poller) {
  const Poller::Presence presence(poller);
  UnaryCall call;
  call.end.Await();
  service.Request(method.index, &call, poller.queue());
  if (!co_await call.requested) co_return;
  ServeUnary(parts, method, service, poller);

  UnaryWork<Request> work(method, parts, call, poller);
  work.series.MessageReceived();
  const std::uint64_t request_bytes = call.incoming.Length();
  absl::Status& status = work.status;
  status = co_await AnswerUnary(call, work);
  if (status.ok() && (method.plan || !work.changes.empty())) {
    Outcomes settled = Settle(parts.ledger, &work.changes, poller.queue());
    status = method.conclude(work.scope, work.request, co_await settled, &work.response);
  }
  work.Finish(request_bytes);
  if (status.ok()) {
    call.stream.Finish(work.reply, grpc::Status::OK, call.finished.Start());
  } else {
    call.stream.FinishWithError(ToGrpcStatus(status), call.finished.Start());
  }
  if (co_await call.finished && status.ok()) work.series.MessageSent();
  co_await call.end;
  work.EndsWith(call.end, status.code());
}

// Wraps an answer that leaves nothing to be done.
template <class Request, class Response>
auto AtOnce(absl::Status (*answer)(const CallScope&, const Request&, const StopRule&, Response*)) {
  return [answer](const CallScope& call, const Request& request, const StopRule& stop,
                  Response* response,
                  Parts* /*left*/) { return answer(call, request, stop, response); };
}

// The costs that follow from the request alone, and those that no worker is spared.
constexpr auto kOwnCost = [](const CallScope& /*call*/, const auto& request) {
  return CostOf(request);
};
constexpr auto kAlwaysDear = [](const CallScope& /*call*/, const auto& /*request*/) {
  return kDear;
};

// The methods that ask questions differ in their messages alone.
template <class Request>
UnaryMethod<Request> QueryMethod() {
  using Query = UnaryQuery<Request, typename MethodOf<Request>::Response>;
  UnaryMethod<Request> method = {
      .cost = Query::CostOf,
      .reply_bytes = [](const Request& request,
                        const Limits& limits) { return MostReplyBytes(request.batch(), limits); },
      .answer = Query::Answer};
  if constexpr (requires(const Request& request) { request.batch().pairs().count(); })
    method.whole_cost = [](const Request& request) { return CostOfOpening(request.shapes()); };
  return method;
}

// The methods that change a scene differ in their costs besides.
template <class Request, class Cost>
UnaryMethod<Request> ChangeMethod(Cost cost) {
  using Change = SceneChangeMethod<Request, typename MethodOf<Request>::Response>;
  return {.cost = cost, .answer_or_plan = Change::Plan, .conclude = Change::Conclude};
}

}  // namespace

Methods::Methods(ServerParts& parts, HealthBoard& health, bool shows_reflection)
    : parts_(parts), shows_reflection_(shows_reflection) {
  AddQueryMethods();
  AddShapeMethods();
  AddSceneMethods();
  Add<v1::GetServerInfoRequest>({.answer = AtOnce(GetServerInfo)});
  serve_.emplace_back([this, &health](Poller& poller) {
    ServeHealthChecks(health, health_, poller);
    ServeHealthWatches(health, health_, poller);
    if (shows_reflection_) ServeReflection(reflection_, poller);
  });
}

void Methods::RegisterWith(grpc::ServerBuilder* builder) {
  std::apply([&](auto&... service) { (builder->RegisterService(&service), ...); }, services_);
  builder->RegisterService(&health_);
  if (shows_reflection_) builder->RegisterService(&reflection_);
}

void Methods::ServeOn(Poller& poller) const {
  for (const auto& serve : serve_) serve(poller);
}

template <class Request>
void Methods::Add(UnaryMethod<Request> method) {
  auto& service = std::get<typename MethodOf<Request>::Service>(services_);
  const auto kept = std::make_shared<const UnaryMethod<Request>>(std::move(method));
  serve_.emplace_back(
      [this, kept, &service](Poller& poller) { ServeUnary(parts_, *kept, service, poller); });
}

void Methods::AddQueryMethods() {
  const auto opening = [](const v1::PairDistanceRequest& request) {
    return CostOf(request.a().shape()) + CostOf(request.b().shape());
  };
  Add<v1::PairDistanceRequest>(
      {.cost = CostOfPairDistance, .whole_cost = opening, .answer = AnswerPairDistance});
#define METHOD(name, service, type, role)
#define QUERY(name, field, service, label, states) Add(QueryMethod<v1::name##Request>());
#include "proto/methods.def"
  serve_.emplace_back([this](Poller& poller) {
    ServeSessions(parts_, std::get<RawService<v1::QueryService>>(services_), poller);
  });
}

// Work that may build a hull is never cheap.
void Methods::AddShapeMethods() {
  Add<v1::RegisterShapeRequest>(
      {.cost = kOwnCost, .plan = AtOnce(PlanRegisterShape), .conclude = ConcludeRegisterShape});
  const auto cuts_all = [](const v1::BatchRegisterHullsRequest& /*request*/) { return 0; };
  const auto error_bytes = [](const v1::BatchRegisterHullsRequest& request, const Limits&) {
    return kMaxRowErrorBytes * static_cast<std::uint64_t>(request.names_size());
  };
  Add<v1::BatchRegisterHullsRequest>({.cost = kOwnCost,
                                      .whole_cost = cuts_all,
                                      .reply_bytes = error_bytes,
                                      .plan = PlanBatchRegisterHulls,
                                      .conclude = ConcludeBatchRegisterHulls});
  Add<v1::GetShapeRequest>({.answer = AtOnce(GetShape)});
  Add<v1::ListShapesRequest>({.answer = AtOnce(ListShapes)});
  Add<v1::DeleteShapeRequest>({.plan = AtOnce(PlanDeleteShape), .conclude = ConcludeDeleteShape});
}

void Methods::AddSceneMethods() {
  Add(ChangeMethod<v1::CreateSceneRequest>(kOwnCost));
  Add<v1::GetSceneRequest>({.cost = kOwnCost, .answer = AtOnce(GetScene)});
  Add<v1::ListScenesRequest>({.answer = AtOnce(ListScenes)});
  Add(ChangeMethod<v1::UpdateSceneRequest>(kOwnCost));
  Add(ChangeMethod<v1::ForkSceneRequest>(kAlwaysDear));
  // The call that removes the scene also gives up all that it held.
  Add(ChangeMethod<v1::DeleteSceneRequest>(kAlwaysDear));
  serve_.emplace_back([this](Poller& poller) {
    ServeSceneWatches(parts_, std::get<RawService<v1::SceneService>>(services_), poller);
  });
}

}  // namespace clearance::server
