// SPDX-License-Identifier: Apache-2.0
//
// Which ports were bound, for whoever started the server with port 0. That the file is there says
// that it is ready.

#ifndef CLEARANCE_SERVER_APP_PORT_FILE_H_
#define CLEARANCE_SERVER_APP_PORT_FILE_H_

#include <string>

#include "absl/status/status.h"

namespace clearance::server {

struct BoundPorts {
  int grpc = 0;
  int http = 0;
};

// Takes away what an earlier run has left; no file there is no error.
void RemovePortFile(const std::string& path);

// {"grpc_port":N,"http_port":N}, whole or not at all. UNAVAILABLE, with the path, where it cannot
// be written.
absl::Status WritePortFile(const std::string& path, const BoundPorts& ports);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_APP_PORT_FILE_H_
