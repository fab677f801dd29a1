// SPDX-License-Identifier: Apache-2.0
//
// The methods of the services. Each query is a session of one question: it opens, attaches and asks
// as a session's messages do. Methods that change shapes or scenes have two halves. First a worker
// works the change out, and leaves it to the ledger; for a scene with a ttl it puts the change in
// place. Then the reply is made from the ledger's outcome.

#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "clearance/v1/query_service.pb.h"
#include "clearance/v1/scene_query_service.pb.h"
#include "clearance/v1/scene_service.pb.h"
#include "clearance/v1/server_service.pb.h"
#include "clearance/v1/shape_service.pb.h"
#include "server/schedule/work.h"
#include "server/session/call_scope.h"

namespace clearance::server {

// Return the cost in units of kMaxCheapCost. Only a GetScene without content is cheap.
std::uint64_t CostOf(const v1::RegisterShapeRequest& request);
std::uint64_t CostOf(const v1::BatchRegisterHullsRequest& request);
std::uint64_t CostOf(const v1::CreateSceneRequest& request);
std::uint64_t CostOf(const v1::UpdateSceneRequest& request);
std::uint64_t CostOf(const v1::GetSceneRequest& request);

absl::Status PlanRegisterShape(const CallScope& call, const v1::RegisterShapeRequest& request,
                               const StopRule& stop, std::vector<ShapeChange>* changes);
absl::Status ConcludeRegisterShape(const CallScope& call, const v1::RegisterShapeRequest& request,
                                   std::vector<ShapeOutcome> outcomes,
                                   v1::RegisterShapeResponse* response);

// Leaves the building to parts, which borrow all arguments. Before each item they check whether the
// call is over. The items built by then, up to the first that was not, are registered.
absl::Status PlanBatchRegisterHulls(const CallScope& call,
                                    const v1::BatchRegisterHullsRequest& request,
                                    const StopRule& stop, std::vector<ShapeChange>* changes,
                                    Parts* left);
absl::Status ConcludeBatchRegisterHulls(const CallScope& call,
                                        const v1::BatchRegisterHullsRequest& request,
                                        std::vector<ShapeOutcome> outcomes,
                                        v1::BatchRegisterHullsResponse* response);

absl::Status PlanDeleteShape(const CallScope& call, const v1::DeleteShapeRequest& request,
                             const StopRule& stop, std::vector<ShapeChange>* changes);
absl::Status ConcludeDeleteShape(const CallScope& call, const v1::DeleteShapeRequest& request,
                                 std::vector<ShapeOutcome> outcomes,
                                 v1::DeleteShapeResponse* response);

absl::Status GetShape(const CallScope& call, const v1::GetShapeRequest& request,
                      const StopRule& stop, v1::GetShapeResponse* response);
absl::Status ListShapes(const CallScope& call, const v1::ListShapesRequest& request,
                        const StopRule& stop, v1::ListShapesResponse* response);

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

// Returns the cost of opening the shapes of a call in units of kMaxCheapCost.
std::uint64_t CostOfOpening(absl::Span<const v1::ShapeReference* const> shapes);

// Defined for the requests of the services and their responses.
template <class Request, class Response>
struct UnaryQuery {
  // The parts that are left borrow all arguments.
  // NOLINTNEXTLINE(readability-function-size): one parameter for each thing that an answer is about
  static absl::Status Answer(const CallScope& call, const Request& request, const StopRule& stop,
                             Response* response, Parts* left);

  // Returns the cost of answering in units of kMaxCheapCost, from the rows, the shapes and bodies
  // that come, and the present shapes and scene.
  static std::uint64_t CostOf(const CallScope& call, const Request& request);
};

// Asks one row, with the fields of the request in refusals.
// NOLINTNEXTLINE(readability-function-size): one parameter for each thing that an answer is about
absl::Status AnswerPairDistance(const CallScope& call, const v1::PairDistanceRequest& request,
                                const StopRule& stop, v1::PairDistanceResponse* response,
                                Parts* left);
std::uint64_t CostOfPairDistance(const CallScope& call, const v1::PairDistanceRequest& request);

absl::Status GetServerInfo(const CallScope& call, const v1::GetServerInfoRequest& request,
                           const StopRule& stop, v1::GetServerInfoResponse* response);

}  // namespace clearance::server
