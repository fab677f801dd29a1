// SPDX-License-Identifier: Apache-2.0
//
// The methods that only look: at shapes, scenes and the server.

#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/math/tolerance.h"
#include "server/convert/scene_change.h"
#include "server/convert/shape_content.h"
#include "server/observe/steady_clock.h"
#include "server/registry/shape_name.h"
#include "server/services/methods.h"

namespace clearance::server {
namespace {

// Returns the size of the page that a request asks for.
absl::StatusOr<std::size_t> PageSizeOf(int asked, int by_default, int most) {
  if (asked >= 0) return static_cast<std::size_t>(asked == 0 ? by_default : std::min(asked, most));
  return RefuseArgument({.reason = Reason::kNumberOutOfRange,
                         .field = "page_size",
                         .value = std::to_string(asked),
                         .limit = ">= 0",
                         .message = "A page has no negative size; 0 takes the default."});
}

// Returns the page of names that the request of a listing asks for.
template <class Names, class Request>
auto ListPage(const Names& names, const Request& request) -> decltype(names.List("", "", 0)) {
  const auto size = PageSizeOf(request.page_size(), /*by_default=*/100, /*most=*/1000);
  if (!size.ok()) return size.status();
  absl::StatusOr<std::string> after = std::string();
  if (!request.page_token().empty()) after = ParsePageToken(request.page_token(), request.prefix());
  if (!after.ok()) return after.status();
  return names.List(request.prefix(), *after, *size);
}

absl::StatusOr<Registry::Found> Find(const CallerRegistry& registry,
                                     const v1::GetShapeRequest& request) {
  if (request.has_name()) return registry.FindByName(request.name());
  if (request.has_digest()) return registry.FindByDigest(request.digest());
  return RefuseArgument({.reason = Reason::kFieldMissing,
                         .field = "reference",
                         .value = "unset",
                         .limit = "name or digest",
                         .message = "The request names no shape."});
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

}  // namespace

absl::Status GetShape(const CallScope& call, const v1::GetShapeRequest& request,
                      const StopRule& /*stop*/, v1::GetShapeResponse* response) {
  const auto found = Find(call.registry, request);
  if (!found.ok()) return found.status();
  FillShapeInfo(found->shape, response->mutable_info());
  if (request.include_content())
    response->mutable_shape()->ParseFromString(found->shape.content->serialized);
  response->set_revision(found->revision);
  return absl::OkStatus();
}

absl::Status ListShapes(const CallScope& call, const v1::ListShapesRequest& request,
                        const StopRule& /*stop*/, v1::ListShapesResponse* response) {
  const auto page = ListPage(call.registry, request);
  if (!page.ok()) return page.status();
  for (const NamedShape& shape : page->shapes) FillShapeInfo(shape, response->add_shapes());
  if (!page->is_last)
    response->set_next_page_token(MakePageToken(request.prefix(), page->shapes.back().name));
  response->set_revision(page->revision);
  return absl::OkStatus();
}

absl::Status GetScene(const CallScope& call, const v1::GetSceneRequest& request,
                      const StopRule& /*stop*/, v1::GetSceneResponse* response) {
  constexpr int kMostBodies = 10'000;
  const auto size = PageSizeOf(request.page_size(), kMostBodies, kMostBodies);
  if (!size.ok()) return size.status();
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
  const std::optional<BodyId> next = FillBodies(*state.scene, {.first = first_id, .most = *size},
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

absl::Status GetServerInfo(const CallScope& call, const v1::GetServerInfoRequest& /*request*/,
                           const StopRule& /*stop*/, v1::GetServerInfoResponse* response) {
  response->set_version(CLEARANCE_VERSION);
  v1::Limits* const limits = response->mutable_limits();
#define LIMIT(kind, name, default_value, uses, help, ...) \
  limits->set_##name(call.parts.limits.name);
#include "server/config/settings.def"
  v1::Tolerances* const tolerances = response->mutable_tolerances();
  tolerances->set_relative(kRelativeTolerance);
  tolerances->set_rounding(kRoundingTolerance);
  tolerances->set_max_iterations(kMaxIterations);
  tolerances->set_max_motion_steps(kMaxMotionSteps);
  tolerances->set_max_rotation(kMaxRotation);
  tolerances->set_quaternion_slack(kQuaternionSlack);
  response->set_revision(call.registry.nameless().revision());
  *response->mutable_server_time() =
      google::protobuf::util::TimeUtil::NanosecondsToTimestamp(absl::ToUnixNanos(WallNow()));
  return absl::OkStatus();
}

}  // namespace clearance::server
