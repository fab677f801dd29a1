// SPDX-License-Identifier: Apache-2.0

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/config/listen_address.h"
#include "server/fence/listener.h"

namespace clearance::server {
namespace {

// Data that the peer does not acknowledge, because it vanished or never reads, ends a connection
// after this time, in milliseconds.
constexpr int kUserTimeout = 20'000;

absl::Status CannotListen(const std::string& address, const std::string& reason) {
  return absl::UnavailableError(absl::StrCat("cannot listen on ", address, ": ", reason));
}

absl::Status CannotListen(const std::string& address, int error) {
  const std::string advice =
      error == EADDRINUSE ? "; stop the process there, or choose another address with --listen"
                          : "";
  return CannotListen(address, std::generic_category().message(error) + advice);
}

void SetOption(const Descriptor& socket, int level, int option, int value) {
  setsockopt(socket.number(), level, option, &value, sizeof value);
}

// Returns whether a process listens there. If it accepts no connection, the socket was left by a
// process that is gone.
bool SomebodyListens(const sockaddr_un& name) {
  const Descriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return connect(probe.number(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0;
}

absl::StatusOr<ListenSockets> ListenOnPath(const std::string& address) {
  const std::string path = address.substr(kUnixScheme.size());
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (path.size() >= sizeof name.sun_path) return CannotListen(address, "the path is too long");
  std::memcpy(name.sun_path, path.data(), path.size());
  if (SomebodyListens(name)) return CannotListen(address, EADDRINUSE);
  struct stat found {};
  if (lstat(path.c_str(), &found) == 0 && S_ISSOCK(found.st_mode)) unlink(path.c_str());

  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (bind(socket.number(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0 ||
      listen(socket.number(), SOMAXCONN) != 0) {
    return CannotListen(address, errno);
  }
  ListenSockets result;
  result.sockets.push_back(std::move(socket));
  result.unix_path = path;
  return result;
}

// Returns the port's place in an address of either family.
in_port_t* PortIn(sockaddr* address) {
  return address->sa_family == AF_INET6 ? &reinterpret_cast<sockaddr_in6*>(address)->sin6_port
                                        : &reinterpret_cast<sockaddr_in*>(address)->sin_port;
}

int BoundPort(const Descriptor& socket) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  getsockname(socket.number(), reinterpret_cast<sockaddr*>(&bound), &size);
  return ntohs(*PortIn(reinterpret_cast<sockaddr*>(&bound)));
}

// Returns a socket that is not open, with errno, if the address cannot be had. No SO_REUSEPORT: a
// second server on a taken port must fail, not share it.
Descriptor ListenOnAddress(const addrinfo& entry) {
  Descriptor socket(::socket(entry.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return socket;
  SetOption(socket, SOL_SOCKET, SO_REUSEADDR, 1);
  if (entry.ai_family == AF_INET6) {
    const auto& name = *reinterpret_cast<const sockaddr_in6*>(entry.ai_addr);
    const bool is_any = IN6_IS_ADDR_UNSPECIFIED(&name.sin6_addr);
    SetOption(socket, IPPROTO_IPV6, IPV6_V6ONLY, is_any ? 0 : 1);
  }
  // Accepted connections inherit these.
  SetOption(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  SetOption(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, kUserTimeout);
  if (bind(socket.number(), entry.ai_addr, entry.ai_addrlen) != 0 ||
      listen(socket.number(), SOMAXCONN) != 0) {
    return Descriptor();
  }
  return socket;
}

// A family that this machine does not have is left out if another one is there.
bool IsAbsentFamily(int error) { return error == EADDRNOTAVAIL || error == EAFNOSUPPORT; }

absl::StatusOr<ListenSockets> ListenOnHost(const std::string& address) {
  int error = 0;
  const AddressList list = ResolveListenAddress(address, &error);
  if (list == nullptr) return CannotListen(address, gai_strerror(error));
  ListenSockets result;
  int absent = 0;
  for (const addrinfo* entry = list.get(); entry != nullptr; entry = entry->ai_next) {
    if (!result.sockets.empty())
      *PortIn(entry->ai_addr) = htons(static_cast<in_port_t>(result.port));
    Descriptor socket = ListenOnAddress(*entry);
    if (socket.is_open()) {
      result.port = BoundPort(socket);
      result.sockets.push_back(std::move(socket));
    } else if (!IsAbsentFamily(absent = errno)) {
      return CannotListen(address, absent);
    }
  }
  if (result.sockets.empty()) return CannotListen(address, absent);
  return result;
}

}  // namespace

absl::StatusOr<ListenSockets> Listen(const std::string& address) {
  return IsUnixAddress(address) ? ListenOnPath(address) : ListenOnHost(address);
}

}  // namespace clearance::server
