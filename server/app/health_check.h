// SPDX-License-Identifier: Apache-2.0
//
// The binary as its own health probe: an image without a shell or a probe tool needs nothing else.

#ifndef CLEARANCE_SERVER_APP_HEALTH_CHECK_H_
#define CLEARANCE_SERVER_APP_HEALTH_CHECK_H_

#include <string>

#include "server/config/server_config.h"

namespace clearance::server {

// Asks grpc.health.v1 of the server at `address` for the whole server's health and prints the
// answer. Where the server's own settings name a certificate it is asked over TLS: that certificate
// alone is trusted, under the name that is in it, and shown as the client's own. With a client CA
// this takes a certificate that the CA gave for clients too. Returns the process's exit code: 0 if
// it is SERVING, else 1.
int CheckHealth(const std::string& address, const TlsFiles& tls);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_APP_HEALTH_CHECK_H_
