// SPDX-License-Identifier: Apache-2.0
//
// A stream of questions of every kind over one table of shapes, one of scenes, and bodies of the
// session's own. Two ways to use it, which may be mixed:
//
//   one at a time     session->Open(0, ByName{"crate"});  session->Ask(batch);
//   many in flight    session->Send(batch, tag); session->Send(batch, tag); …  session->Next();
//   session->Next(); …
//
// The library reads on its own, so any number of messages may be sent before the first Next(): what
// has arrived waits in this process's memory.
//
// A session outlives its server. Where its stream ends with UNAVAILABLE (the server drains,
// restarts or cannot be reached), or with CANCELLED though nobody here cancelled it, the library
// opens another (elsewhere, where the address has several servers), after 20 ms, then after twice
// as long each time up to a second, within SessionOptions::reopen_within and the session's timeout.
// There it opens the slots again and repeats the messages that were not answered, in their order;
// calls wait meanwhile, and every message gets exactly one reply. Any other status ends the
// session: what is wrong, not allowed or late does not become right by repeating it; so does the
// RESOURCE_EXHAUSTED of a server that keeps too much of what was deleted, most of it for this
// session: open another with what is registered. (But a stream
// that was to follow one that broke is tried again where the server answers nothing but
// RESOURCE_EXHAUSTED: it may count the broken one still.)
//
//   - Slots keep what they hold. A shape that was opened by name is opened again by the digest that
//     OpenedShape told, so that a name which was replaced meanwhile changes nothing. If the server
//     has the content no more (deleted, or a server without a data directory restarted), the
//     session ends with FAILED_PRECONDITION and says of which slot; of a list of servers, or of a
//     dns: name, the next is asked, for as long as reopen_within allows, and then it ends with
//     UNAVAILABLE. Refused slots stay refused.
//   - Scenes stay at the revision that OpenedScene told. Where the server holds it no more the
//     session ends likewise; open a newer one in time, or keep max_scene_revisions
//     above what a break lasts.
//   - Own bodies and rules are attached again as the changes that were answered left them, with the
//     shapes that they had, whatever their slots hold by then. Bodies in doubt stay in doubt.
//   - An opening by name that was not answered yet takes what the name means when it is repeated.
//   - Answers are what they would have been but for the columns that nobody promises: iterations
//   and
//     brackets of early exits after a warm start, and what a time_budget did not reach (it counts
//     from the arrival of the repetition).
//   - Work may be done twice: of a message in pieces, the piece at which the stream broke.
//   - Memory: the requests of the messages that are not answered, of each open slot and of each own
//     body its shape's digest, or its content if it was sent inline, and the own rules.

#ifndef CLEARANCE_SESSION_H_
#define CLEARANCE_SESSION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clearance/query.h"
#include "clearance/scene_query.h"
#include "clearance/shape.h"

namespace clearance::client {

struct OpenShape {
  std::uint32_t slot = 0;
  ShapeReference shape;
  std::uint64_t min_revision = 0;
};

struct CloseShape {
  std::uint32_t slot = 0;
};

struct OpenedShape {
  std::uint32_t slot = 0;
  ShapeInfo shape;
  std::uint64_t revision = 0;
};

struct ClosedShape {
  std::uint32_t slot = 0;
};

using SessionMessage =
    std::variant<OpenShape, CloseShape, DistanceBatch, IntersectionBatch, TimeOfCollisionBatch,
                 OpenScene, CloseScene, ChangeBodies, CheckBatch, ClearanceBatch, NearestBatch,
                 OverlapBatch, MotionBatch, RayBatch>;

// The answer to one message. Where status is not OK the whole message was refused (ErrorDetail
// tells why), `answer` holds std::monostate, and the session goes on.
struct Reply {
  std::uint64_t tag = 0;
  absl::Status status;
  std::variant<std::monostate, OpenedShape, ClosedShape, DistanceResult, IntersectionResult,
               TimeOfCollisionResult, OpenedScene, ClosedScene, ChangedBodies, CheckResult,
               ClearanceResult, NearestResult, OverlapResult, SweepResult>
      answer;
};

// Thread-safe: messages take the order in which they enter; each Ask gets its own answer and Next
// the others, in order. A batch beyond the server's max_batch_rows or max_request_bytes is sent in
// pieces (each with the whole time budget) and its answers, as well as answers that the server
// sends in parts, come back joined. When the session has ended every waiting and every later call
// returns its status (an OK end is OUT_OF_RANGE to Next and Ask).
class Session {
 public:
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  // Cancels what is still running.
  ~Session();

  // Puts a shape into a slot and waits for the answer.
  absl::StatusOr<OpenedShape> Open(std::uint32_t slot, const ShapeReference& shape,
                                   std::uint64_t min_revision = 0);
  // Frees a slot and waits for the answer.
  absl::Status Close(std::uint32_t slot);

  // Holds a revision of a scene in a slot, or lets go of it, and waits for the answer.
  absl::StatusOr<OpenedScene> Open(const OpenScene& scene);
  absl::Status CloseScene(std::uint32_t scene_slot);
  // Attaches, detaches and regroups own bodies, all at once, and waits for the answer. After one
  // that fails questions of own bodies are refused until one with `reset` succeeds.
  absl::StatusOr<ChangedBodies> Change(const ChangeBodies& change);

  // Sends a batch and waits for its answer.
  absl::StatusOr<DistanceResult> Ask(const DistanceBatch& batch);
  absl::StatusOr<IntersectionResult> Ask(const IntersectionBatch& batch);
  absl::StatusOr<TimeOfCollisionResult> Ask(const TimeOfCollisionBatch& batch);
  absl::StatusOr<CheckResult> Ask(const CheckBatch& batch);
  absl::StatusOr<ClearanceResult> Ask(const ClearanceBatch& batch);
  absl::StatusOr<NearestResult> Ask(const NearestBatch& batch);
  absl::StatusOr<OverlapResult> Ask(const OverlapBatch& batch);
  absl::StatusOr<SweepResult> Ask(const MotionBatch& batch);
  absl::StatusOr<SweepResult> Ask(const RayBatch& batch);

  // Sends without waiting for the answer; blocks only while the transport is full or the stream is
  // broken. `tag` comes back in the Reply.
  absl::Status Send(const SessionMessage& message, std::uint64_t tag = 0);
  // The answer to the earliest Send that was not taken yet; waits for it. FAILED_PRECONDITION if
  // nothing is owed.
  absl::StatusOr<Reply> Next();

  // Says that nothing more will be sent, waits until every answer has arrived (Next still hands
  // them out) and returns the session's status: OK too where the stream breaks after the last.
  absl::Status Finish();
  // Gives up: every waiting call returns CANCELLED.
  void Cancel();

  // What every later call returns once the session has ended; nothing while it goes on.
  std::optional<absl::Status> end() const;

 private:
  friend class Client;
  class Impl;
  explicit Session(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace clearance::client

#endif  // CLEARANCE_SESSION_H_
