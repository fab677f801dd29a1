// SPDX-License-Identifier: Apache-2.0
//
// Tells whether a request is about names whose meaning another server may just have changed.
// Digests that are found, open slots and things that live in this server's memory are not. Neither
// are names that a caller wants at a minimum revision that is reached (min_revision). Changes need
// no check beforehand: they are worked out on the newest state, or not at all.

#pragma once

#include <google/protobuf/repeated_field.h>

#include <cstdint>
#include <string>

#include "clearance/v1/query_service.pb.h"
#include "clearance/v1/scene_service.pb.h"
#include "clearance/v1/shape_service.pb.h"
#include "server/session/call_scope.h"

namespace clearance::server {

bool AsksByName(const CallScope& call, const v1::GetShapeRequest& request);
bool AsksByName(const CallScope& call, const v1::ListShapesRequest& request);
bool AsksByName(const CallScope& call, const v1::CreateSceneRequest& request);
bool AsksByName(const CallScope& call, const v1::GetSceneRequest& request);
bool AsksByName(const CallScope& call, const v1::ListScenesRequest& request);
bool AsksByName(const CallScope& call, const v1::UpdateSceneRequest& request);
bool AsksByName(const CallScope& call, const v1::ForkSceneRequest& request);
bool AsksByName(const CallScope& call, const v1::DeleteSceneRequest& request);
bool AsksByName(const CallScope& call, const v1::SessionRequest& request);
bool AsksByName(const CallScope& call, const v1::PairDistanceRequest& request);

// Returns the same for shapes as a call or an open refers to them.
bool AsksForShapes(const CallScope& call,
                   const google::protobuf::RepeatedPtrField<v1::ShapeReference>& shapes,
                   std::uint64_t min_revision);
// Returns the same for a scene that must have reached this revision; 0: any.
bool AsksForScene(const CallScope& call, const std::string& name, std::uint64_t min_revision);

// Returns the same for the other requests: questions, and requests without names.
template <class Request>
bool AsksByName(const CallScope& call, const Request& request) {
  if constexpr (requires { request.open_scene(); }) {
    const v1::OpenScene& open = request.open_scene();
    if (request.has_open_scene() && AsksForScene(call, open.name(), open.min_revision()))
      return true;
  }
  if constexpr (requires { request.shapes(); }) {
    return AsksForShapes(call, request.shapes(), request.min_revision());
  }
  return false;
}

// Returns the freshness to await before the request is answered; null: none.
template <class Request>
Freshness* FreshnessFor(const CallScope& call, const Request& request) {
  Freshness* const freshness = call.parts.ledger.freshness();
  if (freshness == nullptr) return nullptr;
  return AsksByName(call, request) ? freshness : nullptr;
}

}  // namespace clearance::server
