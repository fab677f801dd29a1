// SPDX-License-Identifier: Apache-2.0
//
// Reports at the start which access the server allows, to which callers and at which ports, and
// computes how many connections the process has room for.

#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "server/config/server_config.h"
#include "server/observe/log.h"

namespace clearance::server {

// Returns whether all clients that could connect to the address are on this machine.
bool IsLocalOnly(const std::string& address);

// Returns "none", "server" or "mutual".
const char* TlsMode(const TlsFiles& tls);

// Returns which callers are served: "policy" (those that the policy names), "certificates" (those
// with a certificate of one of the CAs) or "everyone" that reaches the port.
const char* CallersMode(const ServerConfig& config);

// Returns whether reflection is served. By default it is only served to callers on this machine or
// with proof of their identity.
bool ShowsReflection(const ServerConfig& config);

// Logs a warning for each port that is open to more than the users of this machine although callers
// need not prove their identity.
void WarnOfStrangers(const ServerConfig& config, Log* log);

// Returns `wanted`, or the number that the limit of open files leaves room for, then with a
// warning. Raises the limit as far as this process may.
std::uint64_t FittingConnections(std::uint64_t wanted, Log* log);

// Writes {"grpc_port":N,"http_port":N}, whole or not at all, for a caller that started the server
// with port 0: if the file exists, the server is ready. UNAVAILABLE, with the path, if it cannot be
// written.
absl::Status WritePortFile(const std::string& path, int grpc_port, int http_port);

}  // namespace clearance::server
