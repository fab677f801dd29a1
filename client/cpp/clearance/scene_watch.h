// SPDX-License-Identifier: Apache-2.0
//
// Following a scene from one revision to the next: mirrors proto/clearance/v1/scene_watch.proto.
//
//   std::unique_ptr<SceneWatch> watch = scenes.Watch("cell", {.from_revision = info.revision,
//                                                             .etag = info.etag});
//   while (true) {
//     absl::StatusOr<SceneNews> news = watch->Next();
//     if (!news.ok() || news->end.has_value()) break;
//     if (news->is_reload) { /* Get the scene anew */ } else { /* apply news->change */ }
//   }

#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "clearance/scene.h"

namespace clearance::client {

// Why a scene no longer exists.
enum class SceneEnd : std::uint8_t { kDeleted = 1, kExpired = 2 };

struct SceneNews {
  // As of the revision that this leads to; for an end, as last reported.
  SceneInfo scene;
  // The revision that `change` applies to. It is more than one below scene.revision if the watcher
  // was so slow that several revisions are reported together.
  std::uint64_t base_revision = 0;
  SceneChange change;  // shapes by digest
  // True if no change leads here. Get() the scene at this revision or, if that is no longer held,
  // the newest, and pass over news up to there.
  bool is_reload = false;
  std::optional<SceneEnd> end;  // the last news
};

// One thread may wait for news while others cancel.
class SceneWatch {
 public:
  SceneWatch(const SceneWatch&) = delete;
  SceneWatch& operator=(const SceneWatch&) = delete;
  // Cancels. Requires: no thread waits in Next().
  ~SceneWatch();

  // Returns the next news; waits for it. The first comes at once: an empty change, unless there is
  // a newer revision than that of the options.
  //
  // If the stream ends with UNAVAILABLE or CANCELLED, another is opened that begins at the revision
  // of the last news, so that none is reported twice or left out. The options say for how long that
  // is tried. It is also tried if the server answers a new stream with RESOURCE_EXHAUSTED alone: it
  // may still count the broken one.
  //
  // Otherwise, and from then on, returns how the watch ended: OUT_OF_RANGE after the news of the
  // scene's end, CANCELLED after Cancel(), else the server's status, which is NOT_FOUND if the
  // scene went while the stream was broken.
  absl::StatusOr<SceneNews> Next();

  // Ends the wait of Next(), which returns CANCELLED after news that have arrived already.
  void Cancel();

 private:
  friend class SceneClient;
  class Impl;
  explicit SceneWatch(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace clearance::client
