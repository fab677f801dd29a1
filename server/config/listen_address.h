// SPDX-License-Identifier: Apache-2.0
//
// The address of a port that the server listens on: host:port, with an IPv6 host in brackets, or
// unix:path.

#pragma once

#include <netdb.h>

#include <memory>
#include <string>
#include <string_view>

namespace clearance::server {

inline constexpr std::string_view kUnixScheme = "unix:";

bool IsUnixAddress(const std::string& address);

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// Returns the addresses to bind for host:port. Null if the host is unknown; `error` is
// getaddrinfo's.
AddressList ResolveListenAddress(const std::string& address, int* error);

// Returns whether all clients that could connect to the address are on this machine.
bool IsLocalOnly(const std::string& address);

}  // namespace clearance::server
