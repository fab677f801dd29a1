// SPDX-License-Identifier: Apache-2.0
//
// The composition root: everything that the process is made of is made here, once, and handed to
// what needs it.

#pragma once

#include <string>

#include "absl/types/span.h"
#include "server/config/server_config.h"

namespace clearance::server {

inline constexpr int kWrongArguments = 2;
inline constexpr int kUnusableData = 3;

// Does what the arguments (without the program's name) ask for and returns the process's exit code:
// 0 done, 1 failed, 2 arguments that are wrong, 3 a data directory or shared store that cannot be
// used. Serves until SIGTERM or SIGINT, then drains:
//   /readyz 503 and health NOT_SERVING -> drain_delay -> calls refused, sessions ended after the
//   message they are at -> drain_timeout -> what still runs is cancelled -> 0.
// Call it before any thread starts, at most once.
int Run(absl::Span<const char* const> arguments);

// The actions besides serving. Each prints its result and returns the exit code.

// Asks grpc.health.v1 of the server at `address` for the health of the whole server: the binary is
// its own health probe, for images without a shell or a probe tool. If the server's own settings
// name a certificate, the call uses TLS: it trusts that certificate alone, under the name in it,
// and presents it as the client's own. With a client CA, the CA must have issued the certificate
// for clients too. 0 if the answer is SERVING, else 1.
int CheckHealth(const std::string& address, const TlsFiles& tls);

// Prints a new token on one line of stdout and on the next the line of the token file that makes
// the server know it; nothing else keeps the token. kWrongArguments if `id` is not a principal's.
int PrintNewToken(const std::string& id);

// Copies the shapes and scenes of config.data_dir into a new file. kUnusableData if that fails.
int BackUpTo(const std::string& file, const ServerConfig& config);

}  // namespace clearance::server
