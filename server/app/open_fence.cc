// SPDX-License-Identifier: Apache-2.0
#include "server/app/optional_parts.h"
#include "server/fence/listener.h"

namespace clearance::server {

absl::StatusOr<std::unique_ptr<AcceptLoop>> OpenFence(const ServerConfig& config,
                                                      const ConnectionSeries& series, Log* log) {
  const ConnectionLimits limits = {
      .most = config.max_connections,
      .most_of_address = config.max_connections_per_address,
      .ban_after_cut = config.ban_after_cut,
      .fence = {config.max_streams_per_connection, config.max_streams,
                config.limits.max_transport_bytes, config.max_total_bytes_in_flight}};
  return Listener::Open(config.listen, limits, series, log);
}

}  // namespace clearance::server
