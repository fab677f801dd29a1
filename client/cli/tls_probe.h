// SPDX-License-Identifier: Apache-2.0
//
// A TLS handshake that continues if the certificate is wrong, to report in which way.

#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/cli/command.h"
#include "client/cli/network.h"

namespace clearance::client {

// Faults of a certificate that a client must refuse.
enum class CertificateFault {
  kNone,
  kName,       // it is for other names
  kExpired,    // or not valid yet
  kUntrusted,  // no chain to a CA that is trusted here
};

struct TlsPeer {
  std::string protocol;            // "TLSv1.3"
  std::vector<std::string> names;  // that its certificate is for: DNS names and addresses
  absl::Time expiry;
  CertificateFault fault = CertificateFault::kNone;
  std::string fault_text = {};    // OpenSSL's message
  std::string refusal_text = {};  // why the server ended the connection after it, if it did
};

// Does the TLS handshake over the socket as gRPC would with these arguments, for the server's name
// (from the arguments, else from the address). INVALID_ARGUMENT if the arguments' files cannot be
// used, UNAVAILABLE with OpenSSL's message if the handshake fails.
absl::StatusOr<TlsPeer> ProbeTls(const TlsArguments& arguments, const std::string& host,
                                 const Socket& socket);

}  // namespace clearance::client
