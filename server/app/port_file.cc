// SPDX-License-Identifier: Apache-2.0
#include "server/app/port_file.h"

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace clearance::server {

void RemovePortFile(const std::string& path) { std::remove(path.c_str()); }

absl::Status WritePortFile(const std::string& path, const BoundPorts& ports) {
  const std::string unfinished = absl::StrCat(path, ".unfinished");
  std::ofstream file(unfinished);
  file << absl::StrCat("{\"grpc_port\":", ports.grpc, ",\"http_port\":", ports.http, "}\n");
  file.close();
  if (!file || std::rename(unfinished.c_str(), path.c_str()) != 0) {
    return absl::UnavailableError(
        absl::StrCat("--port_file=", path, ": ", std::generic_category().message(errno)));
  }
  return absl::OkStatus();
}

}  // namespace clearance::server
