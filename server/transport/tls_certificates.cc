// SPDX-License-Identifier: Apache-2.0

#include "server/transport/tls_certificates.h"

#include <grpc/grpc.h>

#include <chrono>
#include <string>
#include <utility>

#include "absl/time/clock.h"

namespace clearance::server {
namespace {

constexpr std::chrono::seconds kLookEvery(1);

// gRPC's C++ interface wraps only credentials whose certificates never change. Its C interface asks
// again at each handshake.
class FetchedCredentials final : public grpc::ServerCredentials {
 public:
  // Takes the credentials.
  explicit FetchedCredentials(grpc_server_credentials* credentials) : credentials_(credentials) {}
  ~FetchedCredentials() override { grpc_server_credentials_release(credentials_); }

  // Nothing to do: code that distinguishes callers finds them in the AuthContext of a call.
  void SetAuthMetadataProcessor(const std::shared_ptr<grpc::AuthMetadataProcessor>&) override {}

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    return grpc_server_add_http2_port(server, address.c_str(), credentials_);
  }

  grpc_server_credentials* const credentials_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<TlsCertificates>> TlsCertificates::Load(const TlsFiles& files,
                                                                       const TlsSeries& series,
                                                                       Log* log) {
  absl::StatusOr<TlsTexts> texts = ReadTlsFiles(files);
  if (!texts.ok()) return texts.status();
  std::unique_ptr<TlsCertificates> certificates(new TlsCertificates(files, series, log));
  certificates->last_tried_ = *texts;
  absl::StatusOr<TlsMaterial> material = JudgeTlsTexts(*std::move(texts), files);
  if (!material.ok()) return material.status();
  if (IsReadableByAll(files.key)) {
    log->Warning("everybody on this machine may read the private key", {{"tls_key", files.key}});
  }
  certificates->Use(*std::move(material));
  certificates->watcher_ = std::jthread(
      [self = certificates.get()](const std::stop_token& stopped) { self->Watch(stopped); });
  return certificates;
}

std::shared_ptr<grpc::ServerCredentials> TlsCertificates::MakeCredentials() {
  const auto request = files_.client_ca.empty()
                           ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                           : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY;
  return std::make_shared<FetchedCredentials>(grpc_ssl_server_credentials_create_with_options(
      grpc_ssl_server_credentials_create_options_using_config_fetcher(request, &Fetch, this)));
}

grpc_ssl_certificate_config_reload_status TlsCertificates::Fetch(
    void* self, grpc_ssl_server_certificate_config** config) {
  TlsCertificates& certificates = *static_cast<TlsCertificates*>(self);
  const std::lock_guard lock(certificates.mutex_);
  if (std::exchange(certificates.is_fetched_, true))
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
  const TlsTexts& texts = certificates.current_.texts;
  const grpc_ssl_pem_key_cert_pair pair = {texts.key.c_str(), texts.certificate_chain.c_str()};
  // Without roots gRPC aborts, even if no client is asked for a certificate.
  const std::string& roots = texts.client_ca.empty() ? texts.certificate_chain : texts.client_ca;
  *config = grpc_ssl_server_certificate_config_create(roots.c_str(), &pair, 1);
  return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
}

void TlsCertificates::Watch(const std::stop_token& stopped) {
  std::unique_lock lock(mutex_);
  while (!stopped.stop_requested()) {
    asked_.wait_for(lock, stopped, kLookEvery, [this] { return is_asked_; });
    if (stopped.stop_requested()) return;
    if (std::exchange(is_asked_, false)) last_tried_ = {};
    lock.unlock();
    LookAgain();
    lock.lock();
  }
}

void TlsCertificates::LookSoon() {
  {
    const std::lock_guard lock(mutex_);
    is_asked_ = true;
  }
  asked_.notify_all();
}

// Two files cannot be replaced at once. So a pair that does not belong together is normal for a
// moment, and is tried again when one of them changes.
void TlsCertificates::LookAgain() {
  absl::StatusOr<TlsTexts> texts = ReadTlsFiles(files_);
  const bool is_read = texts.ok();
  if (is_read && *texts == last_tried_) return;
  if (is_read) last_tried_ = *texts;
  absl::StatusOr<TlsMaterial> material =
      is_read ? JudgeTlsTexts(*std::move(texts), files_) : texts.status();
  if (material.ok() && material->expiry <= absl::Now()) {
    const std::string expiry =
        absl::FormatTime(absl::RFC3339_sec, material->expiry, absl::UTCTimeZone());
    material = absl::InvalidArgumentError("the certificate expired " + expiry);
  }
  if (material.ok()) {
    Use(*std::move(material));
    series_.reloaded->Increment();
    return;
  }
  const bool is_known = !is_read && last_trouble_ == material.status().message();
  last_trouble_ = std::string(material.status().message());
  if (is_known) return;
  series_.not_reloaded->Increment();
  log_->Warning("TLS reload failed; keeping previous certificate",
                {{"reason", material.status().message()}});
}

void TlsCertificates::Use(TlsMaterial material) {
  series_.expiry->Set(static_cast<double>(absl::ToUnixSeconds(material.expiry)));
  const std::string expires =
      absl::FormatTime(absl::RFC3339_sec, material.expiry, absl::UTCTimeZone());
  if (material.expiry <= absl::Now()) {
    log_->Warning("the TLS certificate has expired", {{"expires", expires}});
  }
  last_trouble_.clear();
  {
    const std::lock_guard lock(mutex_);
    current_ = std::move(material);
    is_fetched_ = false;
  }
  log_->Info("TLS certificate in use",
             {{"tls_certificate", files_.certificate}, {"expires", expires}});
}

}  // namespace clearance::server
