// SPDX-License-Identifier: Apache-2.0
//
// What a session must say again when its stream breaks: which shape or scene each of its slots
// holds, its own bodies, and the messages that are not answered. Nothing else is kept.
//
// On a new stream the own bodies come first, each attached with the shape that it had: through slot
// 0, of which nobody has asked anything yet. Then come the slots. Each is opened by the digest that
// the caller was told, whatever its name means by now, so that no slot ever changes its meaning
// unseen; an inline shape is sent as it was; a scene is opened at the revision that the caller was
// told; a slot whose opening was refused is refused again. Then the messages follow in their order,
// those rows of them that have no answer yet.

#ifndef CLEARANCE_INTERNAL_SESSION_LOG_H_
#define CLEARANCE_INTERNAL_SESSION_LOG_H_

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
#include "internal/own_bodies.h"
#include "internal/session_answer.h"
#include "internal/session_request.h"
#include "internal/split.h"

namespace clearance::client {

// A caller's message on its way to its reply.
struct PendingReply {
  AnswerInParts answer;
  std::size_t pieces_left;
  bool is_answered = false;
  Reply reply = {};  // once it is answered
};

// What the answer to a message must say that makes a new stream as the one before it was.
struct Expectation {
  std::string what = {};  // for whoever is told that it was not met: "slot 3 held v1-… (crate)"
  std::string content = {};  // digest of a shape, etag of a scene; empty: any
  bool is_refused = false;   // whatever the answer: the slot was refused before
};

// One message on the wire.
struct LoggedRequest {
  std::shared_ptr<const v1::SessionRequest> request;
  RowRange rows;
  std::shared_ptr<PendingReply> pending;  // null: says again, of which nobody is told
  Expectation expectation = {};           // of one that says again
};

// Thread-compatible. Messages are entered and taken to be written by any thread; one thread takes
// what the server says.
class SessionLog {
 public:
  // With others what one server has no more is not lost: the next may have it.
  explicit SessionLog(bool has_several_servers) : has_several_servers_(has_several_servers) {}

  // Gives the pieces their tags and puts them at the end.
  void Enter(std::vector<MessagePiece> pieces, const std::shared_ptr<PendingReply>& pending);

  bool has_unwritten() const { return written_ < requests_.size(); }
  // The next one for the stream. Requires: has_unwritten().
  std::shared_ptr<const v1::SessionRequest> TakeUnwritten();

  // The request that the server must answer next, or null where nothing is written. It stays
  // where it is until AcceptAnswer.
  LoggedRequest* Front() { return written_ == 0 ? nullptr : &requests_.front(); }
  // Takes Front() out. True if with it a whole message is answered.
  bool AcceptAnswer();
  // What the response to a Front() without pending reply means. OK: the session has what it had.
  // UNAVAILABLE: not now, or not on this one of several servers. FAILED_PRECONDITION: the
  // server has it no more.
  absl::Status CheckReopened(const v1::SessionResponse& response) const;

  // For a new stream: nothing is written, and the slots come before what is not answered.
  void Restart();

  // Whether every message is answered.
  bool is_settled() const { return unanswered_ == 0; }

 private:
  // What a new stream must open.
  struct Slot {
    std::shared_ptr<const v1::SessionRequest> request;
    Expectation expectation = {};
  };
  using Slots = std::map<std::uint32_t, Slot>;

  void Remember(const LoggedRequest& answered);
  void RememberShape(const LoggedRequest& answered);
  void RememberScene(const LoggedRequest& answered);
  void RememberChange(const LoggedRequest& answered);
  // What attaches the own bodies again and then leaves slot 0 as it found it.
  std::vector<Slot> OwnBodiesAgain() const;
  // What a session is told that a server has not what another had.
  absl::Status NotHere(const std::string& message) const;

  const bool has_several_servers_;
  std::deque<LoggedRequest> requests_;
  std::size_t written_ = 0;     // of requests_, from the front
  std::size_t unanswered_ = 0;  // messages
  std::uint64_t next_tag_ = 1;
  Slots slots_;  // of shapes
  Slots scene_slots_;
  OwnBodies bodies_;
};

}  // namespace clearance::client

#endif  // CLEARANCE_INTERNAL_SESSION_LOG_H_
