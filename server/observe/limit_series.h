// SPDX-License-Identifier: Apache-2.0
//
// How much the server takes at most of what it counts, so that what is held can be read beside it.
// Each series has the name of its flag.

#ifndef CLEARANCE_SERVER_OBSERVE_LIMIT_SERIES_H_
#define CLEARANCE_SERVER_OBSERVE_LIMIT_SERIES_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "prometheus/gauge.h"
#include "prometheus/registry.h"

namespace clearance::server {

// Limits of the whole server, not of one message, session or caller.
enum class ServerLimit : std::uint8_t {
  kConnections,
  kStreams,
  kSessions,
  kShapes,
  kRegistryBytes,
  kScenes,
  kSceneBytes,
  kTracks,
  kWatches,
  kPendingWorkSeconds,
  kTotalBytesInFlight,
  kTotalSessionBytes,
};
inline constexpr std::size_t kServerLimits = 12;

// By the number of ServerLimit. Handles live as long as the registry.
using LimitSeries = std::array<prometheus::Gauge*, kServerLimits>;

LimitSeries MakeLimitSeries(prometheus::Registry* registry);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_OBSERVE_LIMIT_SERIES_H_
