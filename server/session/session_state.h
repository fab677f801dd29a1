// SPDX-License-Identifier: Apache-2.0
//
// The state of a session between its messages, and its answers to them. Knows nothing of streams:
// the coroutine of session.cc carries the messages.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "clearance/v1/query_service.pb.h"
#include "server/engine/shape_table.h"
#include "server/kinds/kinds.h"
#include "server/registry/holders.h"
#include "server/schedule/work.h"
#include "server/session/batch_job.h"
#include "server/session/call_scope.h"
#include "server/session/session_room.h"
#include "server/session/session_scenes.h"

namespace clearance::server {

using JobOfAny = std::variant<std::monostate
#define QUERY(name, field, service, label, states) , BatchJob<name##Kind>
#include "proto/methods.def"
                              >;

// Thread-compatible.
class SessionState {
 public:
  // The scope outlives this. So does `holds`, which may be null: it is told of the session's
  // holdings.
  explicit SessionState(const CallScope& call, ShapeHolders::Session* holds = nullptr)
      : call_(call),
        parts_(call.parts),
        holds_(holds),
        room_(call.parts.session_bytes, call.caller.holder()),
        scenes_(call, &room_, holds) {}

  // Returns the cost of answering the message, in units of kMaxCheapCost.
  std::uint64_t CostOf(const v1::SessionRequest& request) const;

  // Returns the maximum bytes of one part of a reply.
  std::uint64_t ReplyBytesOf(const v1::SessionRequest& request) const;

  // Puts the next part of the answer into an empty response, or leaves parts of it to be done. All
  // arguments outlive those parts. Until the answer is complete, the same request must come again
  // and nothing else. Never fails: a refusal is an answer.
  void Answer(const v1::SessionRequest& request, const StopRule& stop,
              v1::SessionResponse* response, Parts* left);
  // Leaves the last answer as it is, and refuses the request: the slot of an open is poisoned, as
  // by an open that fails.
  void Decline(const v1::SessionRequest& request, const absl::Status& refusal);
  // The same for a request that may have been an open of any slot: all open ones are poisoned.
  void DeclineUnknown(const absl::Status& refusal);
  SessionScenes& scenes() { return scenes_; }
  // Returns the cost of the parts of the last answer that are still to come.
  std::uint64_t CostLeft() const;
  // Returns whether the last answer is complete, once nothing is left of it.
  bool is_complete() const { return std::holds_alternative<std::monostate>(job_); }

 private:
  absl::Status AnswerOther(const v1::SessionRequest& request, const StopRule& stop,
                           v1::SessionResponse* response);
  absl::Status Open(const v1::OpenShape& open, const StopRule& stop, v1::OpenShapeResult* result);
  absl::Status Close(const v1::CloseShape& close, v1::CloseShapeResult* result);
  void Poison(std::uint32_t slot, const std::string& reason);
  void GiveRoomBack() {
    room_.Resize(SessionRoom::Use::kSlots, BytesOfSlots(0, table_.owned_bytes()));
  }
  std::uint64_t BytesOfSlots(std::size_t slots, std::uint64_t owned_bytes) const {
    return std::max(slots, table_.size()) * SessionRoom::kOfSlot + owned_bytes;
  }
  // Returns the kept ends of rows that these rows may begin at; null if there is no room for them.
  WarmRows* WarmRowsFor(std::uint64_t rows);

  // Notes a shape of the registry in the slot; null: none.
  void Hold(std::uint32_t slot, RigidBodyPtr body) {
    if (holds_ != nullptr) holds_->PutShape(slot, std::move(body));
  }
  // Starts the batch's job or goes on with it.
  template <class Kind>
  absl::Status AnswerPart(const typename Kind::Batch& batch, const StopRule& stop,
                          typename Kind::Result* result, Parts* left);

  const CallScope& call_;
  const ServerParts& parts_;
  ShapeHolders::Session* const holds_;
  ShapeTable table_;
  WarmRows warm_rows_;
  SessionRoom room_;
  SessionScenes scenes_;
  JobOfAny job_;
};

}  // namespace clearance::server
