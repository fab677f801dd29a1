// SPDX-License-Identifier: Apache-2.0
#include "server/app/exposure.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "server/config/listen_address.h"

namespace clearance::server {
namespace {

// Descriptors that are not gRPC connections: libraries, queues, the HTTP port and its connections,
// storage, with room to spare.
constexpr rlim_t kOtherDescriptors = 128;

bool IsLoopback(const sockaddr& address) {
  if (address.sa_family == AF_INET6) {
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
  }
  constexpr unsigned kLoopbackNet = 127;
  return ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr) >> 24 == kLoopbackNet;
}

// Returns the warning about open access to the gRPC port, or null if none is due.
const char* WarningOf(const ServerConfig& config) {
  if (IsLocalOnly(config.listen) || !config.tls.client_ca.empty()) return nullptr;
  const bool knows_callers = !config.policy_file.empty();
  if (config.tls.certificate.empty()) {
    return knows_callers ? "gRPC is open to other machines in plain text: traffic and tokens can "
                           "be read and changed"
                         : "gRPC is open to other machines in plain text: traffic can be read and "
                           "changed, and every machine may use it";
  }
  return knows_callers ? "gRPC is open to other machines without client certificates: every "
                         "machine may speak HTTP/2 to this server"
                       : "gRPC is open to other machines without client certificates or a policy: "
                         "every machine may use it";
}

}  // namespace

bool IsLocalOnly(const std::string& address) {
  if (IsUnixAddress(address)) return true;
  int error = 0;
  const AddressList list = ResolveListenAddress(address, &error);
  for (const addrinfo* entry = list.get(); entry != nullptr; entry = entry->ai_next) {
    if (!IsLoopback(*entry->ai_addr)) return false;
  }
  return true;
}

const char* TlsMode(const TlsFiles& tls) {
  if (tls.certificate.empty()) return "none";
  return tls.client_ca.empty() ? "server" : "mutual";
}

const char* CallersMode(const ServerConfig& config) {
  if (!config.policy_file.empty()) return "policy";
  return config.tls.client_ca.empty() ? "everyone" : "certificates";
}

bool ShowsReflection(const ServerConfig& config) {
  if (config.reflection != Reflection::kAuto) return config.reflection == Reflection::kOn;
  if (!config.policy_file.empty()) return false;
  return IsLocalOnly(config.listen) || !config.tls.client_ca.empty();
}

void WarnOfStrangers(const ServerConfig& config, Log* log) {
  if (const char* const warning = WarningOf(config); warning != nullptr)
    log->Warning(warning, {{"listen", config.listen}, {"tls", TlsMode(config.tls)}});
  if (IsLocalOnly(config.http_listen)) return;
  log->Warning("metrics are open to other machines", {{"http_listen", config.http_listen}});
  if (config.page_dir.empty()) return;
  log->Warning(config.policy_file.empty()
                   ? "the page is open to other machines without a policy: every machine may ask "
                     "about all shapes"
                   : "the page is open to other machines in plain text: its tokens can be read",
               {{"http_listen", config.http_listen}});
}

std::uint64_t FittingConnections(std::uint64_t wanted, Log* log) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  const rlim_t needed = std::min<rlim_t>(wanted + kOtherDescriptors, limit.rlim_max);
  if (limit.rlim_cur < needed) {
    limit.rlim_cur = needed;
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
  }
  const rlim_t others = std::min(kOtherDescriptors, limit.rlim_cur / 2);
  const std::uint64_t fitting = std::max<rlim_t>(limit.rlim_cur - others, 1);
  if (fitting >= wanted) return wanted;
  log->Warning("the limit of open files leaves room for fewer connections than max_connections",
               {{"max_connections", wanted},
                {"connections", fitting},
                {"open_files", std::uint64_t{limit.rlim_cur}}});
  return fitting;
}

// A new file, never one that somebody has put there, nor what a link of theirs points to.
absl::Status WritePortFile(const std::string& path, int grpc_port, int http_port) {
  const std::string text =
      absl::StrCat("{\"grpc_port\":", grpc_port, ",\"http_port\":", http_port, "}\n");
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
