// SPDX-License-Identifier: Apache-2.0
//
// The parts of the server that a call works with, and the caller.

#pragma once

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/access/authenticator.h"
#include "server/config/limits.h"
#include "server/engine/answer_check.h"
#include "server/guard/caller.h"
#include "server/guard/caller_log.h"
#include "server/guard/quota.h"
#include "server/guard/refusal.h"
#include "server/guard/share_ledger.h"
#include "server/observe/metrics.h"
#include "server/registry/caller_registry.h"
#include "server/registry/registry.h"
#include "server/registry/scene_registry.h"
#include "server/registry/track_registry.h"
#include "server/schedule/accept_loop.h"
#include "server/schedule/worker_pool.h"
#include "server/storage/shape_ledger.h"

namespace clearance::server {

// The bytes of all calls together: of messages that were received and are not answered yet, and of
// replies that are made or are to be made and are not taken yet. When the server holds as many as
// it may, sessions are not read, and each message that arrives anyway is refused. A call that holds
// some needs no more of them to be answered, so no calls wait in a circle.
inline constexpr Resource kBytesInFlight = {.limit = "max_total_bytes_in_flight",
                                            .advice = "take replies",
                                            .retry_after = absl::Milliseconds(200)};

// The server does not know when one of these ends.
inline constexpr Resource kSessions = {.limit = "max_sessions",
                                       .advice = "end some, or use another server",
                                       .retry_after = absl::Seconds(1)};
inline constexpr Resource kWatches = {.limit = "max_watches",
                                      .advice = "end some, or use another server",
                                      .retry_after = absl::Seconds(1),
                                      .caller_limit = "max_caller_watches"};
inline constexpr Resource kTracks = {.limit = "max_tracks",
                                     .advice = "close some, or use another server",
                                     .retry_after = absl::Seconds(1),
                                     .caller_limit = "max_caller_tracks"};

// Borrowed; outlives every call.
struct ServerParts {
  const Limits& limits;
  Registry& registry;
  Metrics& metrics;
  WorkerPool& workers;
  ShapeLedger& ledger;                     // the only path of changes to the registry
  SceneRegistry* scenes = nullptr;         // null: no scene and no track is asked about
  AnswerChecker* checker = nullptr;        // null: no answer is checked
  Authenticator* authenticator = nullptr;  // null: every caller may do everything
  Log* audit = nullptr;                    // null: changes of the registry are not written down
  RefusalLog* refusal_log = nullptr;       // null: refused callers are not written down
  ShareLedger bytes = ShareLedger(kBytesInFlight);
  TrackRegistry* tracks = nullptr;  // null: no session is asked about tracks
  ShareLedger sessions{kSessions, limits.max_sessions, &metrics.sessions_open()};
  ShareLedger watches{kWatches, limits.max_watches, &metrics.watches(), limits.max_caller_watches};
  // Mutable: sessions see these parts as constant.
  mutable ShareLedger track_places{kTracks, limits.max_tracks, &metrics.tracks(),
                                   limits.max_caller_tracks};
  ShareLedger* session_bytes = nullptr;  // of sessions together; null: nothing is bounded
  AcceptLoop* accept_loop = nullptr;     // counts refused calls; null: they are not counted
  absl::Duration first_message_timeout = absl::InfiniteDuration();
};

// The context in which one call's messages are answered. Shapes are reached only through
// `registry`, which restricts the caller to its role and prefixes. Borrowed; outlives the call.
struct CallScope {
  const ServerParts& parts;
  const Caller& caller;
  CallerRegistry& registry;
};

// Requires: there are scenes.
inline CallerScenes ScenesOf(const CallScope& call) {
  return CallerScenes(*call.parts.scenes, call.caller, call.parts.audit);
}

inline absl::Status CountShed(Metrics& metrics, absl::Status status) {
  if (!status.ok()) metrics.shed(ShedReason::kBytes).Increment();
  return status;
}

// Counts a refusal by the name of its limit. Called once when a status leaves the server.
inline void CountRefusal(Metrics& metrics, const absl::Status& status) {
  if (absl::IsResourceExhausted(status))
    metrics.limit_refusals(ErrorOf(status).limit()).Increment();
}

// RESOURCE_EXHAUSTED, counted, while the caller's principal has overdrawn its processor time.
inline absl::Status RequireProcessorTime(const CallScope& call) {
  absl::Status status = RequireProcessorTime(call.caller);
  if (!status.ok()) call.parts.metrics.principal_refusals(PrincipalLimit::kCores).Increment();
  return status;
}

}  // namespace clearance::server
