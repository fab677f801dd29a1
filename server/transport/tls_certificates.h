// SPDX-License-Identifier: Apache-2.0
//
// The certificates that new connections are served with. The files are read once a second. Changed
// files that are whole are used for later connections. Changed files that are not whole are left
// for the next look, and the previous certificates stay. gRPC 1.51's own
// FileWatcherCertificateProvider hands a broken pair on and then refuses every connection.

#pragma once

#include <grpc/grpc_security.h>
#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/config/server_config.h"
#include "server/observe/log.h"
#include "server/observe/metrics.h"
#include "server/observe/periodic_thread.h"

namespace clearance::server {

struct TlsTexts {  // PEM, as the files hold them
  std::string certificate_chain;
  std::string key;
  std::string client_ca;  // empty: clients need not prove themselves

  bool operator==(const TlsTexts&) const = default;
};

// Texts that can be served with.
struct TlsMaterial {
  TlsTexts texts;
  absl::Time expiry;        // of the server's own certificate
  std::string server_name;  // one that it is for: its first DNS name, else its common name
};

// FAILED_PRECONDITION, with the flag, the file and the reason, if a file cannot be read.
absl::StatusOr<TlsTexts> ReadTlsFiles(const TlsFiles& files);

// FAILED_PRECONDITION, with the flag, the file and the reason, if a text is invalid or the key is
// another certificate's. An encrypted key is refused. Texts that could not be read stay an error.
absl::StatusOr<TlsMaterial> JudgeTlsTexts(absl::StatusOr<TlsTexts> texts, const TlsFiles& files);

// Thread-safe. Outlives the servers that use its credentials, one at most.
class TlsCertificates {
 public:
  // FAILED_PRECONDITION, with the flag, the file and the reason. Metrics and log outlive this.
  static absl::StatusOr<std::unique_ptr<TlsCertificates>> Load(const TlsFiles& files,
                                                               Metrics& metrics, Log* log);

  // Returns credentials for TLS 1.2 and above. If the files name a client CA, a client without a
  // certificate from it is refused. The AuthContext of other calls names the certificate's holder.
  std::shared_ptr<grpc::ServerCredentials> MakeCredentials();

  // Reads the files again at once, changed or not. They are looked at every second anyway.
  void LookSoon() { watcher_->Ask(); }

 private:
  TlsCertificates(const TlsFiles& files, Metrics& metrics, Log* log)
      : files_(files), metrics_(metrics), log_(log) {}

  static grpc_ssl_certificate_config_reload_status Fetch(
      void* self, grpc_ssl_server_certificate_config** config);

  void LookAgain(bool is_asked);
  void Use(TlsMaterial material);

  const TlsFiles files_;
  Metrics& metrics_;
  Log* const log_;
  absl::StatusOr<TlsTexts> seen_;  // of the watching thread
  std::mutex mutex_;               // guards the next two
  TlsTexts current_;
  bool is_fetched_ = false;                // gRPC has current_
  std::optional<PeriodicThread> watcher_;  // the last: it uses the rest
};

}  // namespace clearance::server
