// SPDX-License-Identifier: Apache-2.0
//
// The methods of SceneQueryService. Each is a session of one question: what it opens and attaches,
// and what it asks, goes the way of a session's messages.

#ifndef CLEARANCE_SERVER_SERVICES_SCENE_QUERY_METHODS_H_
#define CLEARANCE_SERVER_SERVICES_SCENE_QUERY_METHODS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "clearance/v1/scene_query_service.pb.h"
#include "server/schedule/stop_rule.h"
#include "server/schedule/work.h"
#include "server/session/call_scope.h"

namespace clearance::server {

// Defined for the requests of the service and their responses. What is left to be done borrows all
// that is given.
template <class Request, class Response>
// NOLINTNEXTLINE(readability-function-size): one parameter for each thing that an answer is about
absl::Status AnswerSceneQuery(const CallScope& call, const Request& request, const StopRule& stop,
                              Response* response, Parts* left);

// What answering will cost, in units of kMaxCheapCost, by the rows, the bodies that come and the
// scene as it is now.
template <class Request>
std::uint64_t CostOfSceneQuery(const CallScope& call, const Request& request);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SERVICES_SCENE_QUERY_METHODS_H_
