// SPDX-License-Identifier: Apache-2.0
//
// The unary methods of QueryService.

#ifndef CLEARANCE_SERVER_SERVICE_QUERY_METHODS_H_
#define CLEARANCE_SERVER_SERVICE_QUERY_METHODS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "clearance/v1/query_service.pb.h"
#include "server/service/call.h"

namespace clearance::server {

absl::Status AnswerDistance(const ServerParts& parts, const v1::DistanceRequest& request,
                            const StopRule& stop, v1::DistanceResponse* response);
absl::Status AnswerIntersection(const ServerParts& parts, const v1::IntersectionRequest& request,
                                const StopRule& stop, v1::IntersectionResponse* response);
absl::Status AnswerTimeOfCollision(const ServerParts& parts,
                                   const v1::TimeOfCollisionRequest& request, const StopRule& stop,
                                   v1::TimeOfCollisionResponse* response);

// In units of kMaxCheapCost.
std::uint64_t CostOf(const v1::DistanceRequest& request);
std::uint64_t CostOf(const v1::IntersectionRequest& request);
std::uint64_t CostOf(const v1::TimeOfCollisionRequest& request);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SERVICE_QUERY_METHODS_H_
