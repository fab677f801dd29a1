// SPDX-License-Identifier: Apache-2.0
//
// The implementation of a SceneWatch: one stream at a time, which the waiting thread reads.

#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/support/sync_stream.h>

#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clearance/scene_watch.h"
#include "clearance/v1/scene_watch.pb.h"
#include "internal/backoff.h"
#include "internal/connection.h"

namespace clearance::client {

// As thread-safe as SceneWatch.
class SceneWatch::Impl {
 public:
  Impl(std::shared_ptr<const Connection> connection, CallIds ids, const std::string& name,
       const WatchOptions& options);
  // Requires: no thread waits.
  ~Impl();

  absl::StatusOr<SceneNews> Next();
  void Cancel();

 private:
  using Reader = grpc::ClientReader<v1::WatchSceneResponse>;

  // Returns false once it was cancelled.
  bool Open();
  // Reads one message. If there is none, *status is how the stream ended, which is closed then.
  bool Read(v1::WatchSceneResponse* response, absl::Status* status);
  // Returns whether another stream may follow one that ended so; waits until it is time for it.
  bool AwaitReopening(const absl::Status& status);
  // Returns whether a message is the first of a new stream without news.
  bool IsKnown(const v1::WatchSceneResponse& response) const;
  absl::StatusOr<SceneNews> Take(const v1::WatchSceneResponse& response);

  const std::shared_ptr<const Connection> connection_;
  const CallIds ids_;
  // Used by the waiting thread only, as are the next five.
  v1::WatchSceneRequest request_;
  Backoff backoff_;
  std::unique_ptr<Reader> reader_;
  bool has_told_ = false;
  bool is_answering_ = false;  // the stream that is open
  absl::Status end_;           // not OK: nothing follows

  std::mutex mutex_;                              // guards the members below
  std::unique_ptr<grpc::ClientContext> context_;  // of reader_
  bool is_cancelled_ = false;
};

}  // namespace clearance::client
