// SPDX-License-Identifier: Apache-2.0
//
// The methods of QueryService and SceneQueryService. Each is a session of one question: it opens,
// attaches and asks as a session's messages do.

#pragma once

#include <google/protobuf/repeated_ptr_field.h>

#include <cstdint>

#include "absl/status/status.h"
#include "clearance/v1/query_service.pb.h"
#include "clearance/v1/scene_query_service.pb.h"
#include "server/schedule/work.h"
#include "server/session/call_scope.h"

namespace clearance::server {

// Returns the cost of opening the shapes of a call in units of kMaxCheapCost.
std::uint64_t CostOfOpening(const google::protobuf::RepeatedPtrField<v1::ShapeReference>& shapes);

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

}  // namespace clearance::server
