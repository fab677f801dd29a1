// SPDX-License-Identifier: Apache-2.0
//
// What a session remembers between its messages, and how it answers each. Knows nothing of streams:
// the coroutine of session.cc carries the messages.

#ifndef CLEARANCE_SERVER_SERVICE_SESSION_STATE_H_
#define CLEARANCE_SERVER_SERVICE_SESSION_STATE_H_

#include <cstdint>
#include <string_view>
#include <variant>

#include "absl/status/status.h"
#include "clearance/v1/query_service.pb.h"
#include "server/engine/shape_table.h"
#include "server/service/batch_job.h"
#include "server/service/call.h"

namespace clearance::server {

// Thread-compatible.
class SessionState {
 public:
  explicit SessionState(const ServerParts& parts) : parts_(parts) {}

  // What answering the message will cost, in units of kMaxCheapCost.
  std::uint64_t CostOf(const v1::SessionRequest& request) const;

  // Puts the next part of the answer into an empty response; true with the last one. Until then the
  // same request has to come again and nothing else. Never fails: a refusal is an answer.
  bool Answer(const v1::SessionRequest& request, const StopRule& stop,
              v1::SessionResponse* response);

 private:
  absl::Status Open(const v1::OpenShape& open, v1::OpenShapeResult* result);
  absl::Status OpenChecked(const v1::OpenShape& open, v1::OpenShapeResult* result);
  absl::Status Close(const v1::CloseShape& close, v1::CloseShapeResult* result);
  absl::Status CheckRoom(std::uint32_t slot, std::uint64_t owned_bytes) const;

  // Starts the batch's job, or goes on with it, and answers one part.
  template <class Job, class Batch, class Result>
  absl::Status AnswerPart(const Batch& batch, const StopRule& stop, Result* result);

  const ServerParts& parts_;
  ShapeTable table_;
  WarmRows warm_rows_;
  std::variant<std::monostate, DistanceJob, IntersectionJob, TimeOfCollisionJob> job_;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SERVICE_SESSION_STATE_H_
