// SPDX-License-Identifier: Apache-2.0
//
// Tells whether a request is about names whose meaning another server may just have changed.
// Digests that are found, open slots and things that live in this server's memory are not. Neither
// are names that a caller wants at a minimum revision that is reached (min_revision). Changes need
// no check beforehand: they are worked out on the newest state, or not at all.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "clearance/v1/query_service.pb.h"
#include "clearance/v1/scene_service.pb.h"
#include "clearance/v1/scene_watch.pb.h"
#include "clearance/v1/shape_service.pb.h"
#include "server/session/call_scope.h"

namespace clearance::server {

// Returns whether shapes are asked for by name, as a call or an open refers to them.
inline bool AsksForShapes(const CallScope& call, absl::Span<const v1::ShapeReference* const> shapes,
                          std::uint64_t min_revision) {
  if (call.registry.nameless().revision() < min_revision) return true;
  return std::ranges::any_of(shapes, [&](const v1::ShapeReference* shape) {
    if (shape->has_name()) return min_revision == 0;
    return shape->has_digest() && !call.registry.FindByDigest(shape->digest()).ok();
  });
}

// Returns the same for a scene that must have reached this revision; 0: any.
inline bool AsksForScene(const CallScope& call, const std::string& name,
                         std::uint64_t min_revision) {
  const auto found = call.parts.scenes->Find(name);
  if (!found.ok()) return true;
  const bool is_new_enough = min_revision > 0 && found->revision >= min_revision;
  return !found->ttl.has_value() && !is_new_enough;
}

inline bool AsksByName(const CallScope& call, const v1::GetShapeRequest& request) {
  return !request.has_digest() || !call.registry.FindByDigest(request.digest()).ok();
}
inline bool AsksByName(const CallScope& call, const v1::CreateSceneRequest& request) {
  return AsksForShapes(call, request.content().bodies().shapes(), 0);
}
inline bool AsksByName(const CallScope& call, const v1::GetSceneRequest& request) {
  return AsksForScene(call, request.name(), request.min_revision());
}
inline bool AsksByName(const CallScope& call, const v1::WatchSceneRequest& request) {
  return AsksForScene(call, request.name(), request.from_revision());
}
inline bool AsksByName(const CallScope& call, const v1::UpdateSceneRequest& request) {
  return AsksForScene(call, request.name(), 0) ||
         AsksForShapes(call, request.change().bodies().shapes(), 0);
}
inline bool AsksByName(const CallScope& call, const v1::ForkSceneRequest& request) {
  return AsksForScene(call, request.source(), 0);
}
inline bool AsksByName(const CallScope& call, const v1::DeleteSceneRequest& request) {
  return AsksForScene(call, request.name(), 0);
}
inline bool AsksByName(const CallScope& call, const v1::PairDistanceRequest& request) {
  return AsksForShapes(call, {&request.a().shape(), &request.b().shape()}, request.min_revision());
}
// The other requests: listings, messages of sessions, questions, and requests without names.
template <class Request>
bool AsksByName(const CallScope& call, const Request& request) {
  if constexpr (requires { request.prefix(); }) return true;
  if constexpr (requires { request.open_scene(); }) {
    const v1::OpenScene& open = request.open_scene();
    if (request.has_open_scene() && AsksForScene(call, open.name(), open.min_revision()))
      return true;
  }
  if constexpr (requires { request.open(); }) {
    const v1::OpenShape& open = request.open();
    return request.has_open() && AsksForShapes(call, {&open.shape()}, open.min_revision());
  }
  if constexpr (requires { request.shapes(); }) {
    return AsksForShapes(call, request.shapes(), request.min_revision());
  }
  return false;
}

// Returns the freshness to await before the request is answered; null: none.
template <class Request>
SharedRegistry* FreshnessFor(const CallScope& call, const Request& request) {
  SharedRegistry* const freshness = call.parts.ledger.freshness();
  return freshness != nullptr && AsksByName(call, request) ? freshness : nullptr;
}

}  // namespace clearance::server
