// SPDX-License-Identifier: Apache-2.0
#include "server/app/shown_limits.h"

#include <cstdint>

#include "absl/time/time.h"

namespace clearance::server {

void ShowLimits(const ServerConfig& config, Metrics* metrics) {
  const auto show = [metrics](ServerLimit limit, std::uint64_t value) {
    metrics->limit(limit).Set(static_cast<double>(value));
  };
  show(ServerLimit::kConnections, config.max_connections);
  show(ServerLimit::kStreams, config.max_streams);
  show(ServerLimit::kSessions, config.limits.max_sessions);
  show(ServerLimit::kShapes, config.limits.max_shapes);
  show(ServerLimit::kRegistryBytes, config.limits.max_registry_bytes);
  show(ServerLimit::kScenes, config.limits.max_scenes);
  show(ServerLimit::kSceneBytes, config.limits.max_scene_bytes);
  show(ServerLimit::kTracks, config.limits.max_tracks);
  show(ServerLimit::kWatches, config.limits.max_watches);
  show(ServerLimit::kTotalBytesInFlight, config.max_total_bytes_in_flight);
  show(ServerLimit::kTotalSessionBytes, config.max_total_session_bytes);
  metrics->limit(ServerLimit::kPendingWorkSeconds)
      .Set(absl::ToDoubleSeconds(config.max_pending_work));
}

}  // namespace clearance::server
