// SPDX-License-Identifier: Apache-2.0
//
// The methods of SceneService. Methods that change scenes have two halves. First a worker makes the
// next revision and either puts it in place (for a scene with a ttl) or leaves the change to the
// ledger. Then the reply is made from the ledger's outcome.

#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "clearance/v1/scene_service.pb.h"
#include "server/registry/scene_registry.h"
#include "server/schedule/work.h"
#include "server/session/call_scope.h"

namespace clearance::server {

// Return the cost in units of kMaxCheapCost; only a GetScene without content is cheap.
std::uint64_t CostOf(const v1::CreateSceneRequest& request);
std::uint64_t CostOf(const v1::UpdateSceneRequest& request);
std::uint64_t CostOf(const v1::GetSceneRequest& request);

absl::Status GetScene(const CallScope& call, const v1::GetSceneRequest& request,
                      const StopRule& stop, v1::GetSceneResponse* response);
absl::Status ListScenes(const CallScope& call, const v1::ListScenesRequest& request,
                        const StopRule& stop, v1::ListScenesResponse* response);

// The two halves of the methods that change a scene.
template <class Request, class Response>
struct SceneChangeMethod {
  // Leaves a change to the ledger, fills the response, or refuses.
  static absl::Status Plan(const CallScope& call, const Request& request, Response* response,
                           std::vector<ShapeChange>* changes);
  // Replies from the one outcome of the change that was left.
  static absl::Status Conclude(const CallScope& call, const Request& request,
                               const std::vector<ShapeOutcome>& outcomes, Response* response);
};

}  // namespace clearance::server
