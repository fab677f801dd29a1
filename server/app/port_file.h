// SPDX-License-Identifier: Apache-2.0
//
// Reports the bound ports to a caller that started the server with port 0. If the file exists, the
// server is ready.

#pragma once

#include <string>

#include "absl/status/status.h"

namespace clearance::server {

struct BoundPorts {
  int grpc = 0;
  int http = 0;
};

// Writes {"grpc_port":N,"http_port":N}, whole or not at all. UNAVAILABLE, with the path, if it
// cannot be written.
absl::Status WritePortFile(const std::string& path, const BoundPorts& ports);

}  // namespace clearance::server
