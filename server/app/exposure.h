// SPDX-License-Identifier: Apache-2.0
//
// What the server opens to whom, told at the start, and how many connections the process has room
// for.

#ifndef CLEARANCE_SERVER_APP_EXPOSURE_H_
#define CLEARANCE_SERVER_APP_EXPOSURE_H_

#include <cstdint>

#include "server/config/server_config.h"
#include "server/observe/log.h"

namespace clearance::server {

// "none", "server" or "mutual".
const char* TlsMode(const TlsFiles& tls);

// Who is served: "policy", those whom it names; "certificates", who has one of the CAs; or
// "everyone" who reaches the port.
const char* CallersMode(const ServerConfig& config);

// By itself only to those who are on this machine or have proved themselves.
bool ShowsReflection(const ServerConfig& config);

// A warning for each port that others than this machine's users reach though nobody need prove
// who he is.
void WarnOfStrangers(const ServerConfig& config, Log* log);

// `wanted`, or what the limit of open files leaves room for, with a warning then. Raises the limit
// as far as this process may.
std::uint64_t FittingConnections(std::uint64_t wanted, Log* log);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_APP_EXPOSURE_H_
