// SPDX-License-Identifier: Apache-2.0
//
// Everything an operator can set, validated: a ServerConfig that came from LoadConfig can be run.

#ifndef CLEARANCE_SERVER_CONFIG_SERVER_CONFIG_H_
#define CLEARANCE_SERVER_CONFIG_SERVER_CONFIG_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "server/config/limits.h"
#include "server/observe/log.h"

namespace clearance::server {

struct ServerConfig {
  std::string listen;            // gRPC: host:port or unix:path; port 0 takes a free one
  std::string http_listen;       // /metrics, /livez, /readyz: host:port
  int polling_threads = 0;       // of the completion queues; 0: one per core
  int worker_threads = 0;        // for hulls and storage; 0: one per core
  absl::Duration drain_delay;    // from "not ready" to the first refused call
  absl::Duration drain_timeout;  // from there until what still runs is cancelled
  LogFormat log_format = LogFormat::kHuman;
  LogLevel log_level = LogLevel::kInfo;
  std::string port_file;  // gets the bound ports once the server is ready; empty: none
  std::uint64_t check_sample = 10'000;  // one answer in so many is checked; 0: none
  Limits limits;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_CONFIG_SERVER_CONFIG_H_
