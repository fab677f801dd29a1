// SPDX-License-Identifier: Apache-2.0
//
// A TLS handshake that goes on where the certificate is wrong, to tell in which way.

#ifndef CLEARANCE_CLIENT_CLI_TLS_PROBE_H_
#define CLEARANCE_CLIENT_CLI_TLS_PROBE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/cli/command.h"
#include "client/cli/network.h"

namespace clearance::client {

// What of a certificate a client must refuse.
enum class CertificateFault {
  kNone,
  kName,       // it is for other names
  kExpired,    // or not valid yet
  kUntrusted,  // no CA that is trusted here stands behind it
};

struct TlsPeer {
  std::string protocol;            // "TLSv1.3"
  std::vector<std::string> names;  // that its certificate is for: DNS names and addresses
  absl::Time expiry;
  CertificateFault fault = CertificateFault::kNone;
  std::string fault_text = {};    // OpenSSL's words
  std::string refusal_text = {};  // why the server ended the connection after it, if it did
};

// Shakes hands over the socket as gRPC would with these arguments, for the server's name (of the
// arguments, else of the address). INVALID_ARGUMENT where the arguments' files cannot be used,
// UNAVAILABLE with OpenSSL's words where there is no handshake.
absl::StatusOr<TlsPeer> ProbeTls(const TlsArguments& arguments, const std::string& host,
                                 const Socket& socket);

}  // namespace clearance::client

#endif  // CLEARANCE_CLIENT_CLI_TLS_PROBE_H_
