// SPDX-License-Identifier: Apache-2.0

#include "server/transport/methods.h"

#include <memory>

#include "server/convert/wire_errors.h"
#include "server/services/methods.h"
#include "server/session/batch_job.h"
#include "server/session/shape_reference.h"
#include "server/transport/unary.h"

namespace clearance::server {
namespace {

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
  Add<v1::PairDistanceRequest>({.cost = CostOfPairDistance,
                                .whole_cost =
                                    [](const auto& request) {
                                      return CostOf(request.a().shape()) +
                                             CostOf(request.b().shape());
                                    },
                                .answer = AnswerPairDistance});
#define METHOD(name, service, type, role)
#define QUERY(name, field, service, label, states) Add(QueryMethod<v1::name##Request>());
#include "server/observe/methods.def"
  serve_.emplace_back([this](Poller& poller) {
    ServeSessions(parts_, std::get<RawService<v1::QueryService>>(services_), poller);
  });
}

// Work that may build a hull is never cheap.
void Methods::AddShapeMethods() {
  Add<v1::RegisterShapeRequest>(
      {.cost = kOwnCost, .plan = AtOnce(PlanRegisterShape), .conclude = ConcludeRegisterShape});
  Add<v1::BatchRegisterHullsRequest>({.cost = kOwnCost,
                                      .whole_cost = [](const auto& /*request*/) { return 0; },
                                      .reply_bytes =
                                          [](const auto& request, const Limits&) {
                                            return kMaxRowErrorBytes *
                                                   static_cast<std::uint64_t>(request.names_size());
                                          },
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
