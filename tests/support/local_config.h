// SPDX-License-Identifier: Apache-2.0
//
// Settings of a server in the test's own process: on a free port of this machine, with two threads
// of each kind, and without any time that ends a call or a connection that a test holds.

#pragma once

#include "server/config/server_config.h"

namespace clearance::server {

inline ServerConfig LocalConfig(const Limits& limits = {}) {
  ServerConfig config;
  config.listen = "127.0.0.1:0";
  config.reflection = Reflection::kOn;
  config.first_message_timeout = absl::InfiniteDuration();
  config.max_connection_age = absl::InfiniteDuration();
  config.polling_threads = 2;
  config.worker_threads = 2;
  config.worker_niceness = 0;
  config.limits = limits;
  return config;
}

}  // namespace clearance::server
