// SPDX-License-Identifier: Apache-2.0
//
// The unary methods of QueryService.

#ifndef CLEARANCE_SERVER_SERVICES_QUERY_METHODS_H_
#define CLEARANCE_SERVER_SERVICES_QUERY_METHODS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "clearance/v1/query_service.pb.h"
#include "server/schedule/stop_rule.h"
#include "server/schedule/work.h"
#include "server/session/call_scope.h"

namespace clearance::server {

// The parts that are left borrow all arguments.
absl::Status AnswerDistance(const CallScope& call, const v1::DistanceRequest& request,
                            const StopRule& stop, v1::DistanceResponse* response, Parts* left);
absl::Status AnswerIntersection(const CallScope& call, const v1::IntersectionRequest& request,
                                const StopRule& stop, v1::IntersectionResponse* response,
                                Parts* left);
absl::Status AnswerTimeOfCollision(const CallScope& call, const v1::TimeOfCollisionRequest& request,
                                   const StopRule& stop, v1::TimeOfCollisionResponse* response,
                                   Parts* left);

// Returns the cost of answering in units of kMaxCheapCost, from the rows and the present shapes.
// Defined for the requests of the three methods above.
template <class Request>
std::uint64_t CostOfQuery(const CallScope& call, const Request& request);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SERVICES_QUERY_METHODS_H_
