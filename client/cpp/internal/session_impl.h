// SPDX-License-Identifier: Apache-2.0
//
// The machinery of a Session. Callers write; one thread of the session's own reads, so that the
// server can always get rid of its answers and never stops taking questions for ever.
//
// A message of the caller is a Pending. It enters `unanswered_` when its first piece is written and
// leaves it when the last part of its last piece has been read; the server answers in the order of
// the messages, so only the front of `unanswered_` grows. Those that Next has to hand out are in
// `owed_` as well.

#ifndef CLEARANCE_INTERNAL_SESSION_IMPL_H_
#define CLEARANCE_INTERNAL_SESSION_IMPL_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/sync_stream.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clearance/session.h"
#include "clearance/v1/query_service.grpc.pb.h"
#include "internal/connection.h"
#include "internal/split.h"

namespace clearance::client {

// Thread-safe.
class Session::Impl {
 public:
  Impl(std::shared_ptr<const Connection> connection, const SessionOptions& options);
  ~Impl();

  // Sends a message and waits for its answer. Message is an alternative of SessionMessage.
  template <class Message>
  absl::StatusOr<Reply> Ask(const Message& message);

  absl::Status Send(const SessionMessage& message, std::uint64_t tag);
  absl::StatusOr<Reply> Next();
  absl::Status Finish();
  void Cancel() { context_.TryCancel(); }

 private:
  using Stream = grpc::ClientReaderWriter<v1::SessionRequest, v1::SessionResponse>;

  struct Pending {
    std::uint64_t sequence = 0;    // the tag on the wire
    std::vector<RowRange> pieces;  // one message each
    std::size_t pieces_answered = 0;
    bool is_answered = false;
    Reply reply;
  };
  using PendingPtr = std::shared_ptr<Pending>;
  enum class Taker { kAsk, kNext };

  // What a response did for the message at the front.
  enum class Progress { kMoreToCome, kPieceComplete, kBroken };

  // Enters the message and writes its pieces.
  template <class Message>
  absl::StatusOr<PendingPtr> Write(const Message& message, std::uint64_t tag, Taker taker);

  void ReadAll();
  // False if the server broke the protocol.
  bool Deliver(const v1::SessionResponse& response);
  static Progress AddPart(const v1::SessionResponse& response, Pending* pending);
  template <class Result, class Part>
  static Progress AddRows(const Part& part, Pending* pending);
  static Progress AddFailure(const google::rpc::Status& status, Pending* pending);
  absl::Status EndStatus() const;  // requires: mutex_ is held

  const std::shared_ptr<const Connection> connection_;
  grpc::ClientContext context_;
  const std::unique_ptr<Stream> stream_;

  // std::mutex, because the thread sanitizer follows it into a library that was built without it;
  // of absl::Mutex it does not.
  std::mutex write_mutex_;  // taken before mutex_; guards the three below
  v1::SessionRequest request_;
  std::uint64_t next_sequence_ = 1;
  bool is_half_closed_ = false;

  std::mutex mutex_;  // guards everything below
  std::condition_variable changed_;
  std::deque<PendingPtr> unanswered_;
  std::deque<PendingPtr> owed_;
  bool has_ended_ = false;
  absl::Status status_;

  std::thread reader_;  // last: everything it uses is alive before it
};

}  // namespace clearance::client

#endif  // CLEARANCE_INTERNAL_SESSION_IMPL_H_
