// SPDX-License-Identifier: Apache-2.0
//
// The implementation of a Session. Callers enter messages into the log and write its messages to
// the stream. One thread of the session opens the stream, reads it, and opens another if it breaks,
// so that the server can always get rid of its answers and never stops taking questions for ever.
// The messages that the log must repeat on a new stream are written by the first thread that comes,
// a caller's or one that lives as long as the stream, while the session's own thread reads.
//
// The server answers in the order of the log. Those replies that Next still owes are in
// `owed_` as well.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "clearance/session.h"
#include "internal/backoff.h"
#include "internal/connection.h"
#include "internal/session_log.h"
#include "internal/session_stream.h"

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
  void Cancel();
  std::optional<absl::Status> end();

 private:
  using PendingPtr = std::shared_ptr<PendingReply>;
  using StreamPtr = std::shared_ptr<SessionStream>;
  enum class Taker { kAsk, kNext };

  // Enters the message and writes it; waits while the stream is broken.
  template <class Message>
  absl::StatusOr<PendingPtr> Write(const Message& message, std::uint64_t tag, Taker taker);
  // Writes the unwritten messages of the log. Returns false if the stream broke during that, or was
  // broken. Requires: write_mutex_ is held, mutex_ is not.
  bool WriteUnwritten();

  // Called by the session's own thread.
  void Run();
  StreamPtr OpenStream();
  // Reads until the stream breaks or ends; returns how.
  absl::Status ReadAll(SessionStream* stream);
  // Returns OK if the session goes on.
  absl::Status Deliver(const SessionStream& stream, v1::SessionResponse* response);
  // Returns whether another stream follows one that ended with *end; waits until it is time for it.
  // If none does, *end is how the session ends.
  bool AwaitReopening(absl::Status* end);
  // Waits while the channel is connecting, for which a stream would wait longer. Returns false if
  // the time to give up comes first; *end is then how the session ends.
  bool AwaitConnection(absl::Status* end);
  bool IsCancelled();
  // Returns whether a stream that ended so may be followed by another.
  bool MayGoOn(const absl::Status& end) const;
  void End(const absl::Status& status);

  absl::Status EndStatus() const;  // requires: mutex_ is held

  const std::shared_ptr<const Connection> connection_;
  const bool reopens_;
  const CallIds ids_;
  const SteadyTime deadline_;
  // Used by the session's own thread only, as are the next two.
  Backoff backoff_;
  int streams_ = 0;
  bool is_answering_ = false;  // the stream has answered something

  // std::mutex, because the thread sanitizer follows it into a library that was built without the
  // sanitizer; it does not follow absl::Mutex.
  std::mutex write_mutex_;  // its holder writes; taken before mutex_

  std::mutex mutex_;  // guards everything below
  std::condition_variable changed_;
  SessionLog log_;
  std::deque<PendingPtr> owed_;
  StreamPtr stream_;
  bool is_open_ = false;         // stream_ is started and not known to be broken
  bool is_half_closed_ = false;  // stream_ is
  bool is_finishing_ = false;    // nothing is entered any more
  bool is_cancelled_ = false;
  bool has_ended_ = false;
  absl::Status status_;

  std::thread thread_;  // last: everything it uses is alive before it
};

}  // namespace clearance::client
