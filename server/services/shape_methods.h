// SPDX-License-Identifier: Apache-2.0
//
// The methods of ShapeService. Methods that change the registry have two halves: a worker works the
// change out, and the reply is made from the ledger's outcome.

#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "clearance/v1/shape_service.pb.h"
#include "server/schedule/work.h"
#include "server/session/call_scope.h"

namespace clearance::server {

// Return the cost in units of kMaxCheapCost; never cheap.
std::uint64_t CostOf(const v1::RegisterShapeRequest& request);
std::uint64_t CostOf(const v1::BatchRegisterHullsRequest& request);

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

}  // namespace clearance::server
