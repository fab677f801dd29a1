// SPDX-License-Identifier: Apache-2.0

#include "server/services/asks_by_name.h"

#include <algorithm>

namespace clearance::server {
namespace {

bool IsUnknownDigest(const CallScope& call, const std::string& digest) {
  return !call.registry.FindByDigest(digest).ok();
}

bool IsReached(const CallScope& call, std::uint64_t revision) {
  return call.registry.nameless().revision() >= revision;
}

bool AsksForShape(const CallScope& call, const v1::ShapeReference& shape, bool is_new_enough) {
  if (shape.has_name()) return !is_new_enough;
  return shape.has_digest() && IsUnknownDigest(call, shape.digest());
}

bool AsksForBodies(const CallScope& call, const v1::SceneChange& change) {
  return AsksForShapes(call, change.bodies().shapes(), 0);
}

}  // namespace

bool AsksForShapes(const CallScope& call,
                   const google::protobuf::RepeatedPtrField<v1::ShapeReference>& shapes,
                   std::uint64_t min_revision) {
  if (!IsReached(call, min_revision)) return true;
  return std::any_of(shapes.begin(), shapes.end(), [&](const v1::ShapeReference& shape) {
    return AsksForShape(call, shape, min_revision > 0);
  });
}

bool AsksForScene(const CallScope& call, const std::string& name, std::uint64_t min_revision) {
  const auto found = call.parts.scenes->Find(name);
  if (!found.ok()) return true;
  const bool is_new_enough = min_revision > 0 && found->revision >= min_revision;
  return !found->ttl.has_value() && !is_new_enough;
}

bool AsksByName(const CallScope& call, const v1::GetShapeRequest& request) {
  return !request.has_digest() || IsUnknownDigest(call, request.digest());
}

bool AsksByName(const CallScope& /*call*/, const v1::ListShapesRequest& /*request*/) {
  return true;
}

bool AsksByName(const CallScope& call, const v1::CreateSceneRequest& request) {
  return AsksForBodies(call, request.content());
}

bool AsksByName(const CallScope& call, const v1::GetSceneRequest& request) {
  return AsksForScene(call, request.name(), request.min_revision());
}

bool AsksByName(const CallScope& /*call*/, const v1::ListScenesRequest& /*request*/) {
  return true;
}

bool AsksByName(const CallScope& call, const v1::UpdateSceneRequest& request) {
  return AsksForScene(call, request.name(), 0) || AsksForBodies(call, request.change());
}

bool AsksByName(const CallScope& call, const v1::ForkSceneRequest& request) {
  return AsksForScene(call, request.source(), 0);
}

bool AsksByName(const CallScope& call, const v1::DeleteSceneRequest& request) {
  return AsksForScene(call, request.name(), 0);
}

bool AsksByName(const CallScope& call, const v1::SessionRequest& request) {
  if (request.has_open()) {
    const v1::OpenShape& open = request.open();
    if (!IsReached(call, open.min_revision())) return true;
    return AsksForShape(call, open.shape(), open.min_revision() > 0);
  }
  if (!request.has_open_scene()) return false;
  return AsksForScene(call, request.open_scene().name(), request.open_scene().min_revision());
}

bool AsksByName(const CallScope& call, const v1::PairDistanceRequest& request) {
  if (!IsReached(call, request.min_revision())) return true;
  const bool is_late = request.min_revision() > 0;
  return AsksForShape(call, request.a().shape(), is_late) ||
         AsksForShape(call, request.b().shape(), is_late);
}

}  // namespace clearance::server
