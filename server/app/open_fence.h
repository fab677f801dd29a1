// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "server/config/server_config.h"
#include "server/observe/connection_series.h"
#include "server/observe/log.h"
#include "server/schedule/accept_loop.h"

namespace clearance::server {

// Listens on config.listen with the fence, for at most so many connections. UNAVAILABLE if the
// address cannot be had. The log outlives the result. Defined only in a build with the fence.
absl::StatusOr<std::unique_ptr<AcceptLoop>> OpenFence(const ServerConfig& config,
                                                      std::uint64_t connections,
                                                      const ConnectionSeries& series, Log* log);

}  // namespace clearance::server
