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
#include "server/schedule/stop_rule.h"
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

// Each leaves a change to the ledger, fills the response, or refuses.
absl::Status PlanCreateScene(const CallScope& call, const v1::CreateSceneRequest& request,
                             v1::CreateSceneResponse* response, std::vector<ShapeChange>* changes);
absl::Status PlanUpdateScene(const CallScope& call, const v1::UpdateSceneRequest& request,
                             v1::UpdateSceneResponse* response, std::vector<ShapeChange>* changes);
absl::Status PlanForkScene(const CallScope& call, const v1::ForkSceneRequest& request,
                           v1::ForkSceneResponse* response, std::vector<ShapeChange>* changes);
absl::Status PlanDeleteScene(const CallScope& call, const v1::DeleteSceneRequest& request,
                             v1::DeleteSceneResponse* response, std::vector<ShapeChange>* changes);

// Each replies from the one outcome of the change that was left.
absl::Status ConcludeCreateScene(const CallScope& call, const v1::CreateSceneRequest& request,
                                 const std::vector<ShapeOutcome>& outcomes,
                                 v1::CreateSceneResponse* response);
absl::Status ConcludeUpdateScene(const CallScope& call, const v1::UpdateSceneRequest& request,
                                 const std::vector<ShapeOutcome>& outcomes,
                                 v1::UpdateSceneResponse* response);
absl::Status ConcludeForkScene(const CallScope& call, const v1::ForkSceneRequest& request,
                               const std::vector<ShapeOutcome>& outcomes,
                               v1::ForkSceneResponse* response);
absl::Status ConcludeDeleteScene(const CallScope& call, const v1::DeleteSceneRequest& request,
                                 const std::vector<ShapeOutcome>& outcomes,
                                 v1::DeleteSceneResponse* response);

}  // namespace clearance::server
