// SPDX-License-Identifier: Apache-2.0
//
// The limits of the whole server as metrics.

#ifndef CLEARANCE_SERVER_APP_SHOWN_LIMITS_H_
#define CLEARANCE_SERVER_APP_SHOWN_LIMITS_H_

#include "server/config/server_config.h"
#include "server/observe/metrics.h"

namespace clearance::server {

// Sets the metrics of limits. The limit of connections is the requested one: how many fit is only
// known once they are taken.
void ShowLimits(const ServerConfig& config, Metrics* metrics);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_APP_SHOWN_LIMITS_H_
