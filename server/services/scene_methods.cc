// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/btree_set.h"
#include "server/convert/scene_change.h"
#include "server/guard/refusal.h"
#include "server/registry/shape_name.h"
#include "server/services/methods.h"
#include "server/services/pages.h"
#include "server/session/shape_reference.h"

namespace clearance::server {
namespace {

constexpr int kMostBodies = 10'000;  // of a page
constexpr std::int64_t kNanosecondsASecond = 1'000'000'000;

using Kind = NamedSceneChange::Kind;

absl::StatusOr<TimeToLive> ReadTtl(const google::protobuf::Duration& ttl) {
  constexpr std::int64_t kMostSeconds = std::int64_t{10} * 366 * 24 * 3600;
  constexpr std::int64_t kLeastNanoseconds = 1'000'000;
  const bool is_duration =
      ttl.seconds() >= 0 && ttl.nanos() >= 0 && ttl.nanos() < kNanosecondsASecond;
  const bool is_in_range = is_duration && ttl.seconds() < kMostSeconds &&
                           (ttl.seconds() > 0 || ttl.nanos() >= kLeastNanoseconds);
  if (is_in_range) return TimeToLive(ttl.seconds() * kNanosecondsASecond + ttl.nanos());
  return RefuseArgument(
      {.reason = Reason::kNumberOutOfRange,
       .field = "ttl",
       .value = std::to_string(ttl.seconds()) + " s " + std::to_string(ttl.nanos()) + " ns",
       .limit = "1 ms to 10 years",
       .message = "invalid time to live: leave it out to keep the scene"});
}

// The registered shapes that a change refers to, as bodies must hold them, and their digests.
struct ReferredShapes {
  std::vector<RigidBodyPtr> bodies;
  std::vector<std::string> digests;
};

absl::StatusOr<ReferredShapes> ResolveAll(const v1::BodyColumns& columns, const CallScope& call) {
  const NamedLimit limit = {"max_slots_per_session", call.parts.limits.max_slots_per_session};
  absl::Status status =
      CheckMost(columns.shapes_size(), limit,
                {.reason = Reason::kTooManyShapes,
                 .field = "shapes",
                 .message = "The change has too many shapes; make several changes of it."});
  if (!status.ok()) return status;
  ReferredShapes shapes;
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
    shapes.bodies.push_back(call.parts.scenes->contents().Share(content));
    shapes.digests.push_back(content->digest);
  }
  return shapes;
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

struct ReadChange {
  std::shared_ptr<const SceneEdit> edit;
  std::vector<std::string> digests;
};

absl::StatusOr<ReadChange> Read(const v1::SceneChange& change, const CallScope& call) {
  auto shapes = ResolveAll(change.bodies(), call);
  if (!shapes.ok()) return Under("bodies", shapes.status());
  auto edit = ReadSceneChange(change, shapes->bodies);
  if (!edit.ok()) return edit.status();
  if (absl::Status status = RequireRuleKinds(change); !status.ok()) return status;
  return ReadChange{std::make_shared<const SceneEdit>(*std::move(edit)),
                    std::move(shapes->digests)};
}

std::uint64_t CostOf(const v1::SceneChange& change) {
  constexpr std::uint64_t kUnitsABody = 10;
  // The sizes of the columns count, because the counts are unchecked.
  std::uint64_t cost = 0;
  for (const int bodies :
       {change.bodies().ids_size(), change.poses().ids_size(), change.removed_bodies_size()})
    cost += kUnitsABody * static_cast<std::uint64_t>(bodies);
  for (const int rules : {change.rules().bodies_a_size(), change.removed_rules().bodies_a_size()})
    cost += static_cast<std::uint64_t>(rules);
  return std::max(kDear, cost);
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

// Returns the creation that a request asks for, without the scene.
template <class Request>
absl::StatusOr<NamedSceneChange> CreationOf(const CallScope& call, const Request& request) {
  if (absl::Status status = ScenesOf(call).RequireReach(request.name(), "name"); !status.ok())
    return status;
  NamedSceneChange change;
  change.kind = Kind::kCreate;
  change.name = request.name();
  change.owner = call.caller.owner();
  if (!request.has_ttl()) return change;
  const auto ttl = ReadTtl(request.ttl());
  if (!ttl.ok()) return ttl.status();
  change.ttl = *ttl;
  return change;
}

// Returns the scene of the requested page, and the first id of the page.
absl::StatusOr<std::pair<SceneState, std::uint64_t>> FindPage(const CallScope& call,
                                                              const v1::GetSceneRequest& request) {
  const bool is_first = request.page_token().empty();
  const auto page = is_first ? ScenePage{.revision = request.revision()}
                             : ParseScenePageToken(request.page_token());
  if (!page.ok()) return page.status();
  auto found = ScenesOf(call).Find(request.name(), "name", page->revision);
  if (!found.ok()) return found.status();
  const bool is_other_revision = request.revision() != 0 && request.revision() != page->revision;
  if (!is_first && (found->incarnation != page->incarnation || is_other_revision)) {
    return RefuseArgument({.reason = Reason::kPageTokenInvalid,
                           .field = "page_token",
                           .value = request.page_token(),
                           .limit = "a next_page_token of this scene",
                           .message = "The page token is of another scene or revision; start "
                                      "again without one."});
  }
  return std::make_pair(*std::move(found), page->first_id);
}

absl::Status PlanCreation(const CallScope& call, const v1::CreateSceneRequest& request,
                          v1::CreateSceneResponse* /*response*/,
                          std::vector<ShapeChange>* changes) {
  auto change = CreationOf(call, request);
  if (!change.ok()) return change.status();
  auto read = Read(request.content(), call);
  if (!read.ok()) return Under("content", read.status());
  auto scene = ApplyEdit(Scene::MakeEmpty(), *read->edit, call.parts.limits);
  if (!scene.ok()) return Under("content", scene.status());
  change->next = *std::move(scene);
  if (!change->ttl.has_value()) change->record = RecordOf(request.content(), read->digests);
  change->digests = std::move(read->digests);
  Leave(*std::move(change), changes);
  return absl::OkStatus();
}

// Writes the line of a change that is refused before it reaches the ledger.
template <class Request>
absl::Status Audited(const CallScope& call, const Request& request, absl::Status status) {
  if (!status.ok()) ScenesOf(call).WriteAudit(ActionOf(request), request.name(), status);
  return status;
}

// Returns the change that an update makes to the scene that was found.
absl::StatusOr<NamedSceneChange> ReadUpdate(const CallScope& call,
                                            const v1::UpdateSceneRequest& request,
                                            const SceneState& found) {
  if (absl::Status status = RequireEtag(request.etag(), found); !status.ok()) return status;
  auto read = Read(request.change(), call);
  if (!read.ok()) return Under("change", read.status());
  NamedSceneChange change;
  change.name = request.name();
  change.etag = request.etag();
  change.base = found.scene;
  change.make_next = [edit = read->edit, limits = call.parts.limits](const ScenePtr& base) {
    absl::StatusOr<ScenePtr> next = ApplyEdit(base, *edit, limits);
    return next.ok() ? next : Under("change", next.status());
  };
  auto next = change.make_next(change.base);
  if (!next.ok()) return next.status();
  change.next = *std::move(next);
  change.bytes = change.base->BytesBeside(*change.next);
  if (found.ttl.has_value() || read->edit->empty()) return change;
  SceneRegistry& scenes = *call.parts.scenes;
  change.record = RecordOf(request.change(), read->digests);
  change.digests = std::move(read->digests);
  if (scenes.IsTimeForWhole(change.name, change.record.size()))
    change.whole = SerializeWhole(*change.next);
  return change;
}

absl::Status PlanCreation(const CallScope& call, const v1::ForkSceneRequest& request,
                          v1::ForkSceneResponse* response, std::vector<ShapeChange>* changes) {
  auto change = CreationOf(call, request);
  if (!change.ok()) return change.status();
  const auto source = ScenesOf(call).Find(request.source(), "source", request.source_revision());
  if (!source.ok()) return source.status();
  change->next = source->scene;
  if (!change->ttl.has_value()) {
    change->record = SerializeWhole(*source->scene);
    change->digests = DigestsOf(*source->scene);
  }
  response->set_source_revision(source->revision);
  Leave(*std::move(change), changes);
  return absl::OkStatus();
}

template <class Request, class Response>
absl::Status Plan(const CallScope& call, const Request& request, Response* response,
                  std::vector<ShapeChange>* changes) {
  return Audited(call, request, PlanCreation(call, request, response, changes));
}

// An update of a scene with a ttl leaves no audit line, refused or not.
absl::Status Plan(const CallScope& call, const v1::UpdateSceneRequest& request,
                  v1::UpdateSceneResponse* response, std::vector<ShapeChange>* changes) {
  const auto found = ScenesOf(call).Find(request.name(), "name");
  const bool is_short_lived = found.ok() && found->ttl.has_value();
  auto change = found.ok() ? ReadUpdate(call, request, *found) : found.status();
  if (!change.ok()) {
    return is_short_lived ? change.status() : Audited(call, request, change.status());
  }
  const bool is_kept = !is_short_lived;
  if (is_kept && !change->record.empty()) {
    Leave(*std::move(change), changes);
    return absl::OkStatus();
  }
  const absl::StatusOr<SceneState> state =
      is_kept ? found : call.parts.scenes->ChangeInMemory(*change);
  if (!state.ok()) return state.status();
  FillSceneInfo(*state, response->mutable_scene());
  return absl::OkStatus();
}

absl::Status Plan(const CallScope& call, const v1::DeleteSceneRequest& request,
                  v1::DeleteSceneResponse* /*response*/, std::vector<ShapeChange>* changes) {
  const CallerScenes scenes = ScenesOf(call);
  auto found = scenes.Find(request.name(), "name");
  if (found.ok()) {
    if (absl::Status status = scenes.RequireDelete(*found); !status.ok()) found = status;
  }
  NamedSceneChange change;
  change.kind = Kind::kDelete;
  change.name = request.name();
  change.etag = request.etag();
  if (found.ok() && !found->ttl.has_value()) {
    Leave(std::move(change), changes);
    return absl::OkStatus();
  }
  const absl::StatusOr<SceneState> gone =
      found.ok() ? call.parts.scenes->ChangeInMemory(change) : found;
  scenes.WriteAudit(ActionOf(request), request.name(), gone);
  return gone.status();
}

}  // namespace

std::uint64_t CostOf(const v1::CreateSceneRequest& request) { return CostOf(request.content()); }
std::uint64_t CostOf(const v1::UpdateSceneRequest& request) { return CostOf(request.change()); }
std::uint64_t CostOf(const v1::GetSceneRequest& request) {
  return request.include_bodies() || request.include_rules() ? kDear : 0;
}

absl::Status GetScene(const CallScope& call, const v1::GetSceneRequest& request,
                      const StopRule& /*stop*/, v1::GetSceneResponse* response) {
  if (absl::Status status = CheckPageSize(request.page_size()); !status.ok()) return status;
  const auto page = FindPage(call, request);
  if (!page.ok()) return page.status();
  const auto& [state, first_id] = *page;
  if (absl::Status status = RequireReached(request.min_revision(), state.revision, "scene");
      !status.ok())
    return status;
  FillSceneInfo(state, response->mutable_scene());
  if (request.include_rules() && request.page_token().empty())
    FillRules(state.scene->rules().rules(), response->mutable_content()->mutable_rules());
  if (!request.include_bodies()) return absl::OkStatus();
  const int size =
      request.page_size() == 0 ? kMostBodies : std::min(request.page_size(), kMostBodies);
  const std::optional<BodyId> next =
      FillBodies(*state.scene, {.first = first_id, .most = static_cast<std::size_t>(size)},
                 response->mutable_content()->mutable_bodies());
  if (next.has_value())
    response->set_next_page_token(MakeScenePageToken({state.incarnation, state.revision, *next}));
  return absl::OkStatus();
}

absl::Status ListScenes(const CallScope& call, const v1::ListScenesRequest& request,
                        const StopRule& /*stop*/, v1::ListScenesResponse* response) {
  const auto page = ListPage(ScenesOf(call), request);
  if (!page.ok()) return page.status();
  for (const SceneState& scene : page->scenes) FillSceneInfo(scene, response->add_scenes());
  if (!page->is_last)
    response->set_next_page_token(MakePageToken(request.prefix(), page->scenes.back().name));
  return absl::OkStatus();
}

template <class Request, class Response>
absl::Status SceneChangeMethod<Request, Response>::Plan(const CallScope& call,
                                                        const Request& request, Response* response,
                                                        std::vector<ShapeChange>* changes) {
  return server::Plan(call, request, response, changes);
}

template <class Request, class Response>
absl::Status SceneChangeMethod<Request, Response>::Conclude(
    const CallScope& call, const Request& request, const std::vector<ShapeOutcome>& outcomes,
    Response* response) {
  const ShapeOutcome& outcome = outcomes.front();
  const auto state = outcome.ok() ? absl::StatusOr<SceneState>(*outcome->scene) : outcome.status();
  ScenesOf(call).WriteAudit(ActionOf(request), request.name(), state);
  if constexpr (requires { response->mutable_scene(); }) {
    if (state.ok()) FillSceneInfo(*state, response->mutable_scene());
  }
  return state.status();
}

template struct SceneChangeMethod<v1::CreateSceneRequest, v1::CreateSceneResponse>;
template struct SceneChangeMethod<v1::UpdateSceneRequest, v1::UpdateSceneResponse>;
template struct SceneChangeMethod<v1::ForkSceneRequest, v1::ForkSceneResponse>;
template struct SceneChangeMethod<v1::DeleteSceneRequest, v1::DeleteSceneResponse>;

}  // namespace clearance::server
