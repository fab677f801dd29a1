// SPDX-License-Identifier: Apache-2.0
//
// The address of a port that the server listens on: host:port, with an IPv6 host in brackets, or
// unix:path.

#pragma once

#include <netdb.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace clearance::server {

inline constexpr std::string_view kUnixScheme = "unix:";

inline bool IsUnixAddress(const std::string& address) { return address.starts_with(kUnixScheme); }

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// Returns the addresses to bind for host:port. Null if the host is unknown; `error` is
// getaddrinfo's.
inline AddressList ResolveListenAddress(const std::string& address, int* error) {
  const std::size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  *error = getaddrinfo(host.c_str(), address.substr(colon + 1).c_str(), &hints, &list);
  return {*error == 0 ? list : nullptr, &freeaddrinfo};
}

}  // namespace clearance::server
