// SPDX-License-Identifier: Apache-2.0
//
// The certificates that new connections are served with. The files are read once a second. Changed
// files that are whole are used for later connections. Changed files that are not whole are left
// for the next look, and the previous certificates stay. gRPC 1.51's own
// FileWatcherCertificateProvider hands a broken pair on and then refuses every connection.

#pragma once

#include <grpc/grpc_security.h>
#include <grpcpp/security/server_credentials.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/config/server_config.h"
#include "server/observe/log.h"
#include "server/observe/metrics.h"

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
// another certificate's. An encrypted key is refused.
absl::StatusOr<TlsMaterial> JudgeTlsTexts(TlsTexts texts, const TlsFiles& files);

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
  void LookSoon();

 private:
  TlsCertificates(const TlsFiles& files, Metrics& metrics, Log* log)
      : files_(files), metrics_(metrics), log_(log) {}

  static grpc_ssl_certificate_config_reload_status Fetch(
      void* self, grpc_ssl_server_certificate_config** config);

  void Watch(const std::stop_token& stopped);
  void LookAgain();
  void Use(TlsMaterial material);

  const TlsFiles files_;
  Metrics& metrics_;
  Log* const log_;
  TlsTexts last_tried_;       // of the watching thread
  std::string last_trouble_;  // of the watching thread
  std::mutex mutex_;          // guards the members below
  std::condition_variable_any asked_;
  bool is_asked_ = false;
  TlsMaterial current_;
  bool is_fetched_ = false;  // gRPC has current_
  std::jthread watcher_;
};

}  // namespace clearance::server
