// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "server/config/server_config.h"
#include "server/observe/log.h"
#include "server/observe/metrics.h"
#include "server/registry/registry.h"
#include "server/registry/scene_registry.h"
#include "server/storage/shared_registry.h"

namespace clearance::server {

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
// while it is read, the newer state is read instead. Defined only in a build with the etcd store.
absl::StatusOr<std::unique_ptr<SharedRegistry>> JoinRegistry(const JoinParts& parts);

}  // namespace clearance::server
