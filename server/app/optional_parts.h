// SPDX-License-Identifier: Apache-2.0
//
// Makes the parts of the server that a build may leave out. Each function is only defined in a
// build with its part (server/config/build_options.h).

#pragma once

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "server/config/server_config.h"
#include "server/observe/connection_series.h"
#include "server/observe/log.h"
#include "server/observe/metrics.h"
#include "server/registry/registry.h"
#include "server/registry/scene_registry.h"
#include "server/schedule/accept_loop.h"
#include "server/storage/shared_registry.h"

namespace clearance::server {

// Listens on config.listen with the fence. UNAVAILABLE if the address cannot be had. The log
// outlives the result.
absl::StatusOr<std::unique_ptr<AcceptLoop>> OpenFence(const ServerConfig& config,
                                                      const ConnectionSeries& series, Log* log);

// The parts that a server joins the shared registry with. All outlive the result.
struct JoinParts {
  const EtcdConfig& config;
  Registry* shapes;
  SceneRegistry* scenes;
  Metrics* metrics;
  Log* log;
  int threads;                     // that read shapes
  std::function<bool()> is_ended;  // true: the wait for the store ends
};

// Reads the registry that servers share in etcd, once it answers. If a revision is compacted away
// while it is read, the newer state is read instead.
absl::StatusOr<std::unique_ptr<SharedRegistry>> JoinRegistry(const JoinParts& parts);

}  // namespace clearance::server
