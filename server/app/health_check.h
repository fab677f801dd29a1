// SPDX-License-Identifier: Apache-2.0
//
// The binary as its own health probe, for images without a shell or a probe tool.

#pragma once

#include <string>

#include "server/config/server_config.h"

namespace clearance::server {

// Asks grpc.health.v1 of the server at `address` for the health of the whole server and prints the
// answer. If the server's own settings name a certificate, the call uses TLS: it trusts that
// certificate alone, under the name in it, and presents it as the client's own. With a client CA,
// the CA must have issued the certificate for clients too. Returns the process's exit code: 0 if
// the answer is SERVING, else 1.
int CheckHealth(const std::string& address, const TlsFiles& tls);

}  // namespace clearance::server
