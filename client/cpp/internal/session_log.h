// SPDX-License-Identifier: Apache-2.0
//
// The messages that a session must repeat when its stream breaks: which shape or scene each of its
// slots holds, its query bodies, and the messages that are not answered. Nothing else is kept.
//
// On a new stream the query bodies come first, each attached with the shape that it had: through
// slot 0, about which no question was asked yet. Then come the slots:
// - A shape is opened by the digest that the caller was told, whatever its name means by now, so
//   that no slot ever changes its meaning unseen. An inline shape is sent as it was.
// - A scene is opened at the revision that the caller was told.
// - A slot whose opening was refused is refused again.
//
// Then the messages follow in their order, those rows of them that have no answer yet.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "clearance/session.h"
#include "clearance/v1/query_service.pb.h"
#include "internal/query_bodies.h"
#include "internal/session_answer.h"
#include "internal/session_request.h"
#include "internal/split.h"

namespace clearance::client {

// A caller's message until its reply.
struct PendingReply {
  AnswerInParts answer;
  std::size_t pieces_left;
  bool is_answered = false;
  Reply reply = {};  // once it is answered
};

// The answer to a message that restores a new stream to the state of the one before it.
struct Expectation {
  std::string what = {};     // for the error if it was not met: "slot 3 held v1-… (crate)"
  std::string content = {};  // digest of a shape, etag of a scene; empty: any
  bool is_refused = false;   // whatever the answer: the slot was refused before
};

// One message on the wire.
struct LoggedRequest {
  std::shared_ptr<const v1::SessionRequest> request;
  RowRange rows;
  std::shared_ptr<PendingReply> pending;  // null: repeats, which no caller is told
  Expectation expectation = {};           // of one that repeats
};

// Thread-compatible. Any thread enters messages and takes them to be written; one thread takes the
// server's responses.
class SessionLog {
 public:
  // With several servers, what one no longer has is not lost: the next may have it.
  explicit SessionLog(bool has_several_servers) : has_several_servers_(has_several_servers) {}

  // Gives the pieces their tags and appends them.
  void Enter(std::vector<MessagePiece> pieces, const std::shared_ptr<PendingReply>& pending);

  bool has_unwritten() const { return written_ < requests_.size(); }
  // Returns the next request for the stream. Requires: has_unwritten().
  std::shared_ptr<const v1::SessionRequest> TakeUnwritten();

  // Returns the request that the server must answer next, or null if nothing is written. It stays
  // in place until AcceptAnswer.
  LoggedRequest* Front() { return written_ == 0 ? nullptr : &requests_.front(); }
  // Removes Front(). Returns true if a whole message is answered with it.
  bool AcceptAnswer();
  // Returns the meaning of the response to a Front() without pending reply. OK: the session has the
  // same as before. UNAVAILABLE: not now, or not on this one of several servers.
  // FAILED_PRECONDITION: the server no longer has it.
  absl::Status CheckReopened(const v1::SessionResponse& response) const;

  // Prepares for a new stream: nothing is written, and the slots come before the unanswered
  // messages.
  void Restart();

  // Returns whether every message is answered.
  bool is_settled() const { return unanswered_ == 0; }

 private:
  // A slot that a new stream must open.
  struct Slot {
    std::shared_ptr<const v1::SessionRequest> request;
    Expectation expectation = {};
  };
  using Slots = std::map<std::uint32_t, Slot>;

  void Remember(const LoggedRequest& answered);
  void RememberShape(const LoggedRequest& answered);
  void RememberScene(const LoggedRequest& answered);
  void RememberChange(const LoggedRequest& answered);
  // Returns the messages that attach the query bodies again and then leave slot 0 as they found it.
  std::vector<Slot> QueryBodiesAgain() const;
  // Returns the status of a session if a server lacks what another had.
  absl::Status NotHere(const std::string& message) const;

  const bool has_several_servers_;
  std::deque<LoggedRequest> requests_;
  std::size_t written_ = 0;     // of requests_, from the front
  std::size_t unanswered_ = 0;  // messages
  std::uint64_t next_tag_ = 1;
  Slots slots_;  // of shapes
  Slots scene_slots_;
  QueryBodies bodies_;
};

}  // namespace clearance::client
