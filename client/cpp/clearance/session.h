// SPDX-License-Identifier: Apache-2.0
//
// A stream of questions of every kind over one table of shapes. Two ways to use it, which may be
// mixed:
//
//   one at a time     session->Open(0, ByName{"crate"});  session->Ask(batch);
//   many in flight    session->Send(batch, tag); session->Send(batch, tag); …  session->Next();
//   session->Next(); …
//
// The library reads on its own, so any number of messages may be sent before the first Next(): what
// has arrived waits in this process's memory.

#ifndef CLEARANCE_SESSION_H_
#define CLEARANCE_SESSION_H_

#include <cstdint>
#include <memory>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clearance/query.h"
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
    std::variant<OpenShape, CloseShape, DistanceBatch, IntersectionBatch, TimeOfCollisionBatch>;

// The answer to one message. Where status is not OK the whole message was refused (ErrorDetail
// tells why), `answer` holds std::monostate, and the session goes on.
struct Reply {
  std::uint64_t tag = 0;
  absl::Status status;
  std::variant<std::monostate, OpenedShape, ClosedShape, DistanceResult, IntersectionResult,
               TimeOfCollisionResult>
      answer;
};

// Thread-safe: messages take the order in which they enter; each Ask gets its own answer and Next
// the others, in order. A batch beyond the server's max_batch_rows or max_request_bytes is sent in
// pieces (each with the whole time budget) and its answers, as well as answers that the server
// sends in parts, come back joined. When the stream has ended every waiting and every later call
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

  // Sends a batch and waits for its answer.
  absl::StatusOr<DistanceResult> Ask(const DistanceBatch& batch);
  absl::StatusOr<IntersectionResult> Ask(const IntersectionBatch& batch);
  absl::StatusOr<TimeOfCollisionResult> Ask(const TimeOfCollisionBatch& batch);

  // Sends without waiting for the answer; blocks only while the transport is full. `tag` comes back
  // in the Reply.
  absl::Status Send(const SessionMessage& message, std::uint64_t tag = 0);
  // The answer to the earliest Send that was not taken yet; waits for it. FAILED_PRECONDITION if
  // nothing is owed.
  absl::StatusOr<Reply> Next();

  // Says that nothing more will be sent, waits until every answer has arrived (Next still hands
  // them out) and returns the stream's status.
  absl::Status Finish();
  // Gives up: every waiting call returns CANCELLED.
  void Cancel();

 private:
  friend class Client;
  class Impl;
  explicit Session(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace clearance::client

#endif  // CLEARANCE_SESSION_H_
