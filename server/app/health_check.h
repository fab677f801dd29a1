// SPDX-License-Identifier: Apache-2.0
//
// The binary as its own health probe: an image without a shell or a probe tool needs nothing else.

#ifndef CLEARANCE_SERVER_APP_HEALTH_CHECK_H_
#define CLEARANCE_SERVER_APP_HEALTH_CHECK_H_

#include <string>

namespace clearance::server {

// Asks grpc.health.v1 of the server at `address` for the whole server's health, without TLS, and
// prints the answer. Returns the process's exit code: 0 if it is SERVING, else 1.
int CheckHealth(const std::string& address);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_APP_HEALTH_CHECK_H_
