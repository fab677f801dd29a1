// SPDX-License-Identifier: Apache-2.0
//
// Reads and checks the TLS files before anything is done with them. Every TlsMaterial can be served
// with.

#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/config/server_config.h"

namespace clearance::server {

struct TlsTexts {  // PEM, as the files hold them
  std::string certificate_chain;
  std::string key;
  std::string client_ca;  // empty: clients need not prove themselves

  bool operator==(const TlsTexts&) const = default;
};

struct TlsMaterial {
  TlsTexts texts;
  absl::Time expiry;        // of the server's own certificate
  std::string server_name;  // one that it is for: its first DNS name, else its common name
};

// FAILED_PRECONDITION, with the flag, the file and the reason, if a file cannot be read.
absl::StatusOr<TlsTexts> ReadTlsFiles(const TlsFiles& files);

// FAILED_PRECONDITION, with the flag, the file and the reason, if a text is invalid or the key is
// another certificate's. An encrypted key is refused.
absl::StatusOr<TlsMaterial> JudgeTlsTexts(TlsTexts texts, const TlsFiles& files);

// Whether users other than the owner and the group may read it.
bool IsReadableByAll(const std::string& path);

}  // namespace clearance::server
