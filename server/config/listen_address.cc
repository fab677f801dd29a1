// SPDX-License-Identifier: Apache-2.0

#include "server/config/listen_address.h"

#include <netinet/in.h>

#include <cstddef>

namespace clearance::server {
namespace {

bool IsLoopback(const sockaddr& address) {
  if (address.sa_family == AF_INET6) {
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
  }
  constexpr unsigned kLoopbackNet = 127;
  return ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr) >> 24 == kLoopbackNet;
}

}  // namespace

bool IsUnixAddress(const std::string& address) { return address.starts_with(kUnixScheme); }

AddressList ResolveListenAddress(const std::string& address, int* error) {
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

bool IsLocalOnly(const std::string& address) {
  if (IsUnixAddress(address)) return true;
  int error = 0;
  const AddressList list = ResolveListenAddress(address, &error);
  for (const addrinfo* entry = list.get(); entry != nullptr; entry = entry->ai_next) {
    if (!IsLoopback(*entry->ai_addr)) return false;
  }
  return true;
}

}  // namespace clearance::server
