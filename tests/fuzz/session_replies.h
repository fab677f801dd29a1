// SPDX-License-Identifier: Apache-2.0
//
// A session without the stream, and what must hold of each reply in it: every message is
// answered, every part keeps within the reply's limit, its columns agree with its states, and each
// refused row has its Error.

#pragma once

#include <string>
#include <vector>

#include "clearance/v1/query_service.pb.h"
#include "server/config/limits.h"
#include "server/observe/metrics.h"
#include "server/registry/registry.h"
#include "server/registry/scene_registry.h"
#include "server/schedule/worker_pool.h"
#include "server/session/call_scope.h"
#include "server/storage/shape_ledger.h"

namespace clearance::fuzz {

// Small enough for thousands of sessions a second, and small enough to be hit.
inline constexpr server::Limits kLimits = {
    .max_request_bytes = 4096,
    .max_reply_bytes = 16384,
    .max_batch_rows = 8,
    .max_shape_vertices = 24,
    .max_slots_per_session = 4,
    .max_session_shape_bytes = 16384,
    .max_pieces_per_shape = 4,
    .max_session_scenes = 3,
    .max_session_bodies = 4,
    .max_session_rules = 4,
    .max_row_pairs = 2,
    .max_tracks = 1,
    .max_track_ticks = 3,
    .max_track_bodies = 3,
};

// What every session of this process shares. A pool without threads: nothing here is given to it.
struct Server {
  server::Metrics metrics{"fuzz"};
  server::Registry registry{kLimits, nullptr};
  server::WorkerPool workers{0};
  // The ball of radius 1 is registered as "registered". One scene of the name "w": three balls in a
  // row, with the ids 1, 2 and 3.
  server::SceneRegistry scenes{kLimits, nullptr};
  server::ShapeLedger ledger{{.registry = registry, .store = nullptr, .scenes = scenes}};
  server::ServerParts parts{kLimits, registry, metrics, workers, ledger, &scenes};

  Server();
};

// Every reply and every part of one, in order; ends the process where one is not as it must be.
// Nothing in the messages may depend on time. Tracks are the session's alone.
std::vector<v1::SessionResponse> RunSession(const std::vector<v1::SessionRequest>& messages,
                                            server::ServerParts& parts);

std::string BytesOf(const std::vector<v1::SessionResponse>& replies);

}  // namespace clearance::fuzz
