// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/container/btree_set.h"
#include "server/convert/scene_change.h"
#include "server/services/methods.h"
#include "server/session/shape_reference.h"

namespace clearance::server {
namespace {

using Kind = NamedSceneChange::Kind;

absl::Status ReadTtl(const google::protobuf::Duration& message, TimeToLive* ttl) {
  const absl::Duration below_second = absl::Nanoseconds(message.nanos());
  const absl::Duration time = absl::Seconds(message.seconds()) + below_second;
  const bool is_duration = below_second >= absl::ZeroDuration() && below_second < absl::Seconds(1);
  if (is_duration && time >= absl::Milliseconds(1) && time < absl::Hours(10 * 366 * 24)) {
    *ttl = absl::ToChronoNanoseconds(time);
    return absl::OkStatus();
  }
  return RefuseArgument(
      {.reason = Reason::kNumberOutOfRange,
       .field = "ttl",
       .value = std::to_string(message.seconds()) + " s " + std::to_string(message.nanos()) + " ns",
       .limit = "1 ms to 10 years",
       .message = "invalid time to live: leave it out to keep the scene"});
}

// Returns the registered shapes that a change refers to, as bodies must hold them.
absl::StatusOr<std::vector<RigidBodyPtr>> ResolveAll(const v1::BodyColumns& columns,
                                                     const CallScope& call,
                                                     std::vector<std::string>* digests) {
  absl::Status status = CheckMost(
      columns.shapes_size(), {"max_slots_per_session", call.parts.limits.max_slots_per_session},
      {.reason = Reason::kTooManyShapes,
       .field = "shapes",
       .message = "The change has too many shapes; make several changes of it."});
  if (!status.ok()) return status;
  std::vector<RigidBodyPtr> bodies;
  for (int i = 0; i < columns.shapes_size(); ++i) {
    const v1::ShapeReference& reference = columns.shapes(i);
    const std::string field = Indexed("shapes", i);
    if (reference.has_inline_shape()) {
      return RefuseArgument({.reason = Reason::kInlineShapeNotAllowed,
                             .field = field + ".inline_shape",
                             .value = "set",
                             .limit = "name or digest",
                             .message = "A scene is made of registered shapes; register it."});
    }
    const auto resolved = FindShape(reference, call);
    if (!resolved.ok()) return Under(field, resolved.status());
    const ShapeContentPtr& content = resolved->shape.content;
    bodies.push_back(call.parts.scenes->contents().Share(content));
    digests->push_back(content->digest);
  }
  return bodies;
}

// Reads a change, and adds the digests of the shapes that it refers to.
absl::StatusOr<std::shared_ptr<const SceneEdit>> Read(const v1::SceneChange& change,
                                                      const CallScope& call,
                                                      std::vector<std::string>* digests) {
  auto bodies = ResolveAll(change.bodies(), call, digests);
  if (!bodies.ok()) return Under("bodies", bodies.status());
  auto edit = ReadSceneChange(change, *bodies);
  if (!edit.ok()) return edit.status();
  if (absl::Status status = RequireRuleKinds(change); !status.ok()) return status;
  return std::make_shared<const SceneEdit>(*std::move(edit));
}

// Returns the change as it is stored, with digests: a name may have another meaning when it is
// read.
std::string RecordOf(const v1::SceneChange& change, const std::vector<std::string>& digests) {
  v1::SceneChange stored = change;
  for (int i = 0; i < stored.bodies().shapes_size(); ++i)
    stored.mutable_bodies()->mutable_shapes(i)->set_digest(digests[static_cast<std::size_t>(i)]);
  return stored.SerializeAsString();
}

std::vector<std::string> DigestsOf(const Scene& scene) {
  absl::btree_set<RigidBodyPtr> bodies;
  for (std::size_t i = 0; i < scene.size(); ++i) bodies.insert(scene.BodyAt(i).body);
  std::vector<std::string> digests;
  for (const RigidBodyPtr& body : bodies) digests.push_back(SceneContents::Of(body)->digest);
  return digests;
}

std::uint64_t CostOf(const v1::SceneChange& change) {
  constexpr std::int64_t kUnitsABody = 10;
  // The sizes of the columns count, because the counts are unchecked.
  const std::int64_t bodies = std::int64_t{change.bodies().ids_size()} + change.poses().ids_size() +
                              change.removed_bodies_size();
  const std::int64_t rules =
      std::int64_t{change.rules().bodies_a_size()} + change.removed_rules().bodies_a_size();
  return std::max(kDear, static_cast<std::uint64_t>(kUnitsABody * bodies + rules));
}

void Leave(NamedSceneChange change, std::vector<ShapeChange>* changes) {
  ShapeChange& left = changes->emplace_back();
  left.name = change.name;
  left.scene = std::make_shared<const NamedSceneChange>(std::move(change));
}

// Returns the name of the method's change in the audit log.
const char* ActionOf(const v1::CreateSceneRequest& /*request*/) { return "create_scene"; }
const char* ActionOf(const v1::UpdateSceneRequest& /*request*/) { return "update_scene"; }
const char* ActionOf(const v1::ForkSceneRequest& /*request*/) { return "fork_scene"; }
const char* ActionOf(const v1::DeleteSceneRequest& /*request*/) { return "delete_scene"; }

// Tells of the scene after a change, except for a deleted one.
template <class Response>
absl::Status Answer(const absl::StatusOr<SceneState>& state, Response* response) {
  if constexpr (requires { response->mutable_scene(); }) {
    if (state.ok()) FillSceneInfo(*state, response->mutable_scene());
  }
  return state.status();
}

// Fills in the new scene of a creation.
absl::Status AddScene(const CallScope& call, const v1::CreateSceneRequest& request,
                      v1::CreateSceneResponse* /*response*/, NamedSceneChange* change) {
  const auto edit = Read(request.content(), call, &change->digests);
  if (!edit.ok()) return Under("content", edit.status());
  auto scene = ApplyEdit(Scene::MakeEmpty(), **edit, call.parts.limits);
  if (!scene.ok()) return Under("content", scene.status());
  change->next = *std::move(scene);
  if (!change->ttl.has_value()) change->record = RecordOf(request.content(), change->digests);
  return absl::OkStatus();
}

absl::Status AddScene(const CallScope& call, const v1::ForkSceneRequest& request,
                      v1::ForkSceneResponse* response, NamedSceneChange* change) {
  const auto source = ScenesOf(call).Find(request.source(), "source", request.source_revision());
  if (!source.ok()) return source.status();
  change->next = source->scene;
  if (!change->ttl.has_value()) {
    change->record = SerializeWhole(*source->scene);
    change->digests = DigestsOf(*source->scene);
  }
  response->set_source_revision(source->revision);
  return absl::OkStatus();
}

template <class Request, class Response>
absl::Status PlanCreation(const CallScope& call, const Request& request, Response* response,
                          std::vector<ShapeChange>* changes) {
  NamedSceneChange change;
  change.kind = Kind::kCreate;
  change.name = request.name();
  change.owner = call.caller.owner();
  absl::Status status = ScenesOf(call).RequireReach(request.name(), "name");
  if (status.ok() && request.has_ttl()) status = ReadTtl(request.ttl(), &change.ttl);
  if (status.ok()) status = AddScene(call, request, response, &change);
  if (status.ok()) {
    Leave(std::move(change), changes);
  } else {
    ScenesOf(call).WriteAudit(ActionOf(request), request.name(), status);
  }
  return status;
}

// Return the change that a request makes to the scene that was found.
absl::StatusOr<NamedSceneChange> ReadChangeOf(const SceneState& found, const CallScope& call,
                                              const v1::UpdateSceneRequest& request) {
  if (absl::Status status = RequireEtag(request.etag(), found); !status.ok()) return status;
  NamedSceneChange change;
  const auto edit = Read(request.change(), call, &change.digests);
  if (!edit.ok()) return Under("change", edit.status());
  change.name = request.name();
  change.etag = request.etag();
  change.base = found.scene;
  change.make_next = [edit = *edit, limits = call.parts.limits](const ScenePtr& base) {
    absl::StatusOr<ScenePtr> next = ApplyEdit(base, *edit, limits);
    return next.ok() ? next : Under("change", next.status());
  };
  auto next = change.make_next(change.base);
  if (!next.ok()) return next.status();
  change.next = *std::move(next);
  change.bytes = change.base->BytesBeside(*change.next);
  if (found.ttl.has_value() || (*edit)->empty()) return change;
  SceneRegistry& scenes = *call.parts.scenes;
  change.record = RecordOf(request.change(), change.digests);
  if (scenes.IsTimeForWhole(change.name, change.record.size()))
    change.whole = SerializeWhole(*change.next);
  return change;
}

absl::StatusOr<NamedSceneChange> ReadChangeOf(const SceneState& found, const CallScope& call,
                                              const v1::DeleteSceneRequest& request) {
  if (absl::Status status = ScenesOf(call).RequireDelete(found); !status.ok()) return status;
  NamedSceneChange change;
  change.kind = Kind::kDelete;
  change.name = request.name();
  change.etag = request.etag();
  return change;
}

// Makes a change of a scene with a ttl at once. An update of one leaves no audit line, refused or
// not.
template <class Request, class Response>
absl::Status PlanChange(const CallScope& call, const Request& request, Response* response,
                        std::vector<ShapeChange>* changes) {
  constexpr bool kIsUpdate = std::is_same_v<Request, v1::UpdateSceneRequest>;
  const auto found = ScenesOf(call).Find(request.name(), "name");
  auto change = found.ok() ? ReadChangeOf(*found, call, request) : found.status();
  const bool is_short_lived = found.ok() && found->ttl.has_value();
  const bool changes_nothing = kIsUpdate && change.ok() && change->record.empty();
  if (change.ok() && !is_short_lived && !changes_nothing) {
    Leave(*std::move(change), changes);
    return absl::OkStatus();
  }
  absl::StatusOr<SceneState> state = found;
  if (!change.ok()) {
    state = change.status();
  } else if (is_short_lived) {
    state = call.parts.scenes->ChangeInMemory(*change);
  }
  const bool is_audited = !kIsUpdate || (!state.ok() && !is_short_lived);
  if (is_audited) ScenesOf(call).WriteAudit(ActionOf(request), request.name(), state);
  return Answer(state, response);
}

}  // namespace

std::uint64_t CostOf(const v1::CreateSceneRequest& request) { return CostOf(request.content()); }
std::uint64_t CostOf(const v1::UpdateSceneRequest& request) { return CostOf(request.change()); }
std::uint64_t CostOf(const v1::GetSceneRequest& request) {
  return request.include_bodies() || request.include_rules() ? kDear : 0;
}

template <class Request, class Response>
absl::Status SceneChangeMethod<Request, Response>::Plan(const CallScope& call,
                                                        const Request& request, Response* response,
                                                        std::vector<ShapeChange>* changes) {
  if constexpr (requires { request.etag(); }) {
    return PlanChange(call, request, response, changes);
  } else {
    return PlanCreation(call, request, response, changes);
  }
}

template <class Request, class Response>
absl::Status SceneChangeMethod<Request, Response>::Conclude(
    const CallScope& call, const Request& request, const std::vector<ShapeOutcome>& outcomes,
    Response* response) {
  const ShapeOutcome& outcome = outcomes.front();
  const auto state = outcome.ok() ? absl::StatusOr<SceneState>(*outcome->scene) : outcome.status();
  ScenesOf(call).WriteAudit(ActionOf(request), request.name(), state);
  return Answer(state, response);
}

template struct SceneChangeMethod<v1::CreateSceneRequest, v1::CreateSceneResponse>;
template struct SceneChangeMethod<v1::UpdateSceneRequest, v1::UpdateSceneResponse>;
template struct SceneChangeMethod<v1::ForkSceneRequest, v1::ForkSceneResponse>;
template struct SceneChangeMethod<v1::DeleteSceneRequest, v1::DeleteSceneResponse>;

}  // namespace clearance::server
