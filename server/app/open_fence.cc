// SPDX-License-Identifier: Apache-2.0
#include "server/app/optional_parts.h"
#include "server/fence/listener.h"

namespace clearance::server {

absl::StatusOr<std::unique_ptr<AcceptLoop>> OpenFence(const ServerConfig& config,
                                                      const ConnectionSeries& series, Log* log) {
  return Listener::Open(config, series, log);
}

}  // namespace clearance::server
