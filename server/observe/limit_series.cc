// SPDX-License-Identifier: Apache-2.0
#include "server/observe/limit_series.h"

namespace clearance::server {
namespace {

struct LimitText {
  const char* name;
  const char* help;
};

// By the number of ServerLimit.
constexpr std::array<LimitText, kServerLimits> kLimitTexts = {{
    {"clearance_max_connections", "Most connections open at once."},
    {"clearance_max_streams", "Most calls open at once on all connections."},
    {"clearance_max_sessions", "Most sessions open at once."},
    {"clearance_max_shapes", "Most shapes in the registry."},
    {"clearance_max_registry_bytes", "Most bytes of all shapes in the registry."},
    {"clearance_max_scenes", "Most scenes."},
    {"clearance_max_scene_bytes", "Most bytes of all scenes and their revisions."},
    {"clearance_max_tracks", "Most tracks published at once."},
    {"clearance_max_watches", "Most watches of scenes open at once."},
    {"clearance_max_pending_work_seconds", "Most estimated processor time of messages at workers."},
    {"clearance_max_total_bytes_in_flight", "Most bytes held of all calls."},
    {"clearance_max_total_session_bytes", "Most bytes that sessions hold beyond what each has."},
}};

}  // namespace

LimitSeries MakeLimitSeries(prometheus::Registry* registry) {
  LimitSeries series{};
  for (std::size_t i = 0; i < kServerLimits; ++i) {
    series[i] = &prometheus::BuildGauge()
                     .Name(kLimitTexts[i].name)
                     .Help(kLimitTexts[i].help)
                     .Register(*registry)
                     .Add({});
  }
  return series;
}

}  // namespace clearance::server
