// SPDX-License-Identifier: Apache-2.0
//
// Streams of questions of every kind over one table of shapes, one of scenes, and query bodies.
//
// There are two ways to use a session, which may be mixed:
//
//   one at a time     session->Open(0, ByName{"crate"});  session->Ask(batch);
//   many in flight    session->Send(batch, tag); session->Send(batch, tag); …  session->Next(); …
//
// The library reads by itself, so any number of messages may be sent before the first Next().
// Answers wait in this process's memory.
//
// A session outlives its server. If its stream ends with UNAVAILABLE, or with CANCELLED though it
// was not cancelled here, the library opens another one, elsewhere if the address has several
// servers. It waits 20 ms, then twice as long each time up to a second, within
// SessionOptions::reopen_within and the session's timeout. There it opens the slots again and
// repeats unanswered messages in order. Calls wait meanwhile, and every message gets exactly one
// reply. Any other status ends the session. After the RESOURCE_EXHAUSTED of a server that holds too
// many deleted shapes, open another session with registered ones. RESOURCE_EXHAUSTED on a
// replacement stream is tried again, because the server may still count the broken one.
//
//   - Slots keep their content. A shape that was opened by name is opened again by the digest of
//     OpenedShape, so a replaced name changes nothing. If the server no longer has the content, the
//     session ends with FAILED_PRECONDITION and names the slot. With several servers the next one
//     is asked, within reopen_within; then it ends with UNAVAILABLE. Refused slots stay refused.
//   - Scenes stay at the revision of OpenedScene. If the server no longer holds it, the session
//     ends as for shapes. Open a newer one in time, or raise max_scene_revisions.
//   - Query bodies and rules are attached again as the answered changes left them, with their
//     shapes. Bodies after a failed change stay invalid.
//   - An unanswered opening by name takes the meaning of the name at its repetition.
//   - Answers are the same except iterations, brackets of early exits after a warm start, and the
//     rows that a time_budget did not reach (it counts from the repetition's arrival).
//   - Work may be done twice: for a split message, the piece at which the stream broke.
//   - The session keeps unanswered requests, the rules, and for each open slot and query body the
//     shape's digest or its inline content.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clearance/query.h"
#include "clearance/scene_query.h"
#include "clearance/shape.h"

namespace clearance::client {

struct OpenShape {
  using Result = struct OpenedShape;

  std::uint32_t slot = 0;
  ShapeReference shape;
  std::uint64_t min_revision = 0;
};

struct CloseShape {
  using Result = struct ClosedShape;

  std::uint32_t slot = 0;
};

struct OpenedShape {
  std::uint32_t slot = 0;
  ShapeInfo info;
  std::uint64_t revision = 0;
};

struct ClosedShape {
  std::uint32_t slot = 0;
};

using SessionMessage =
    std::variant<OpenShape, CloseShape, DistanceBatch, IntersectionBatch, TimeOfCollisionBatch,
                 OpenScene, CloseScene, ChangeBodies, CheckBatch, MinimumDistanceBatch,
                 NearestBatch, OverlapBatch, SweepBatch, RayBatch>;

// The answer to one message. If status is not OK, the whole message was refused (see ErrorDetail),
// `answer` holds std::monostate, and the session continues.
struct Reply {
  std::uint64_t tag = 0;
  absl::Status status;
  std::variant<std::monostate, OpenedShape, ClosedShape, DistanceResult, IntersectionResult,
               TimeOfCollisionResult, OpenedScene, ClosedScene, ChangedBodies, CheckResult,
               MinimumDistanceResult, NearestResult, OverlapResult, SweepResult>
      answer;
};

// A stream of questions. Thread-safe.
//
// Messages take the order in which they enter. Each Ask gets its own answer, and Next gets the
// others in order. A batch above the server's max_batch_rows or max_request_bytes is split, each
// piece with the whole time budget; its answers are joined. After the session has ended, every call
// returns its status. A good end is OUT_OF_RANGE to Next and Ask.
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

  // Holds a revision of a scene in a slot, or frees it, and waits for the answer.
  absl::StatusOr<OpenedScene> Open(const OpenScene& scene);
  absl::Status CloseScene(std::uint32_t scene_slot);
  // Attaches, detaches and regroups query bodies, all at once, and waits for the answer. If it
  // fails, questions about query bodies are refused until one with `reset` succeeds.
  absl::StatusOr<ChangedBodies> Change(const ChangeBodies& change);

  // Sends a batch and waits for its answer.
  absl::StatusOr<DistanceResult> Ask(const DistanceBatch& batch);
  absl::StatusOr<IntersectionResult> Ask(const IntersectionBatch& batch);
  absl::StatusOr<TimeOfCollisionResult> Ask(const TimeOfCollisionBatch& batch);
  absl::StatusOr<CheckResult> Ask(const CheckBatch& batch);
  absl::StatusOr<MinimumDistanceResult> Ask(const MinimumDistanceBatch& batch);
  absl::StatusOr<NearestResult> Ask(const NearestBatch& batch);
  absl::StatusOr<OverlapResult> Ask(const OverlapBatch& batch);
  absl::StatusOr<SweepResult> Ask(const SweepBatch& batch);
  absl::StatusOr<SweepResult> Ask(const RayBatch& batch);
  // Does not compile: the message is no batch.
  template <class Message>
  absl::StatusOr<Reply> Ask(const Message& message);

  // Sends a message without waiting for the answer. It blocks only while the transport is full or
  // the stream is broken. `tag` comes back in the Reply.
  absl::Status Send(const SessionMessage& message, std::uint64_t tag = 0);
  // Waits for the answer to the earliest Send that was not taken yet, and returns it.
  // FAILED_PRECONDITION: every answer was taken.
  absl::StatusOr<Reply> Next();

  // Ends the session after every answer has arrived, and returns its status; Next still returns
  // answers. OK also if the stream breaks after the last answer.
  absl::Status Finish();
  // Ends the session at once: every waiting call returns CANCELLED.
  void Cancel();

  // Returns the status of later calls once the session has ended; else nothing.
  std::optional<absl::Status> end() const;

 private:
  friend class Client;
  class Impl;
  explicit Session(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

template <class Message>
absl::StatusOr<Reply> Session::Ask(const Message& /*message*/) {
  constexpr bool kIsOpen = std::is_same_v<Message, OpenShape> || std::is_same_v<Message, OpenScene>;
  constexpr bool kIsChange = std::is_same_v<Message, ChangeBodies>;
  constexpr bool kIsClose =
      std::is_same_v<Message, CloseShape> || std::is_same_v<Message, client::CloseScene>;
  constexpr bool kIsAny = std::is_same_v<Message, SessionMessage>;
  static_assert(!kIsChange, "ChangeBodies is not a question: call Session::Change(change)");
  static_assert(!kIsOpen,
                "opening is not a question: call Session::Open(slot, shape) or "
                "Session::Open(scene)");
  static_assert(!kIsClose,
                "closing is not a question: call Session::Close(slot) or "
                "Session::CloseScene(scene_slot)");
  static_assert(!kIsAny,
                "a SessionMessage of any kind: call Session::Send(message), then "
                "Session::Next()");
  static_assert(kIsChange || kIsOpen || kIsClose || kIsAny,
                "Session::Ask takes a batch, such as DistanceBatch or CheckBatch");
  return absl::UnimplementedError("not a question");
}

}  // namespace clearance::client
