// SPDX-License-Identifier: Apache-2.0
//
// One stream of a session that asks and waits in turn: what writers and readers of tracks talk
// through.

#pragma once

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clearance/client.h"
#include "clearance/scene.h"
#include "clearance/v1/query_service.pb.h"
#include "internal/session_stream.h"

namespace clearance::client {

// Thread-compatible.
class TrackSession {
 public:
  explicit TrackSession(const Client& client);
  ~TrackSession();
  TrackSession(const TrackSession&) = delete;
  TrackSession& operator=(const TrackSession&) = delete;

  // Waits for the whole answer, joined of its parts; a refusal of the message is its status. Once
  // the stream has ended every call returns its status.
  absl::StatusOr<v1::SessionResponse> Ask(v1::SessionRequest* request);

  // Changes the session's query bodies, whose shapes go into the slots from 0 on.
  absl::Status Attach(const SceneChange& change, bool reset);

  // Says that nothing more will be asked, and waits for the stream's end.
  absl::Status Finish();

  // Gives a batch the reply size that the client takes.
  template <class BatchProto>
  void LimitReply(BatchProto* batch) const {
    SetReplyLimit(connection_->options, batch);
  }

 private:
  absl::Status End();

  const std::shared_ptr<const Connection> connection_;
  SessionStream stream_;
  bool has_ended_ = false;
  absl::Status end_;  // once it has ended; never OK
};

}  // namespace clearance::client
