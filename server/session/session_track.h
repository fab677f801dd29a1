// SPDX-License-Identifier: Apache-2.0
//
// The track that a session publishes, from its opening to its close or the session's end. The .cc
// also has the part of SessionScenes that rewinds tracks.

#pragma once

#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "clearance/v1/track.pb.h"
#include "server/guard/share_ledger.h"
#include "server/registry/track_registry.h"
#include "server/session/call_scope.h"
#include "server/session/session_scenes.h"

namespace clearance::server {

// Thread-compatible.
class SessionTrack {
 public:
  // The scope outlives this. No track is open.
  explicit SessionTrack(const CallScope& call) : call_(call) {}
  ~SessionTrack() { End(); }
  SessionTrack(const SessionTrack&) = delete;
  SessionTrack& operator=(const SessionTrack&) = delete;

  absl::Status Open(const v1::OpenTrack& open, v1::OpenTrackResult* result);
  // Publishes a tick of all query bodies of `scenes`.
  absl::Status Publish(const v1::PublishTick& publish, const SessionScenes& scenes,
                       v1::PublishTickResult* result);
  absl::Status Close(v1::CloseTrackResult* result);
  // Ends the track, if one is open, so that no caller finds it.
  void End();
  // The same, if the caller may no longer publish it: called when the rules have changed.
  void EndUnlessAllowed();

 private:
  absl::Status RequirePublisher(std::string_view name) const;
  absl::Status RequireOpen() const;

  const CallScope& call_;
  TrackPtr track_;                          // null: none
  std::optional<ShareLedger::Part> place_;  // that of the track
};

}  // namespace clearance::server
