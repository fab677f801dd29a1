// SPDX-License-Identifier: Apache-2.0
#include "server/app/port_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace clearance::server {

// A new file, never one that somebody has put there, nor what a link of theirs points to.
absl::Status WritePortFile(const std::string& path, const BoundPorts& ports) {
  const std::string text =
      absl::StrCat("{\"grpc_port\":", ports.grpc, ",\"http_port\":", ports.http, "}\n");
  const std::string unfinished = absl::StrCat(path, ".unfinished");
  std::remove(unfinished.c_str());
  constexpr mode_t kReadByAll = 0644;
  const int file =
      open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kReadByAll);
  bool is_written =
      file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (file >= 0) is_written = close(file) == 0 && is_written;
  if (!is_written || std::rename(unfinished.c_str(), path.c_str()) != 0) {
    return absl::UnavailableError(
        absl::StrCat("--port_file=", path, ": ", std::generic_category().message(errno)));
  }
  return absl::OkStatus();
}

}  // namespace clearance::server
