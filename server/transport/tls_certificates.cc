// SPDX-License-Identifier: Apache-2.0

#include "server/transport/tls_certificates.h"

#include <grpc/grpc.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <cerrno>
#include <ctime>
#include <fstream>
#include <iterator>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace clearance::server {
namespace {

template <auto kFree>
struct FreedWith {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Bio = std::unique_ptr<BIO, FreedWith<&BIO_free>>;
using Certificate = std::unique_ptr<X509, FreedWith<&X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, FreedWith<&EVP_PKEY_free>>;
using Names = std::unique_ptr<GENERAL_NAMES, FreedWith<&GENERAL_NAMES_free>>;

// A file under the name of its flag.
struct NamedFile {
  absl::string_view flag;
  const std::string& path;
};

absl::Status Unusable(const NamedFile& file, absl::string_view reason) {
  // OpenSSL's errors must not be taken for the cause of a later failure.
  ERR_clear_error();
  return absl::FailedPreconditionError(absl::StrCat("--", file.flag, "=", file.path, ": ", reason));
}

absl::Status ReadFile(const NamedFile& file, std::string* text) {
  if (file.path.empty()) return absl::OkStatus();
  errno = 0;
  std::ifstream stream(file.path, std::ios::binary);
  text->assign(std::istreambuf_iterator<char>(stream), {});
  if (stream.is_open() && !text->empty()) return absl::OkStatus();
  return Unusable(file, errno == 0 ? "is empty" : std::generic_category().message(errno));
}

Bio OpenText(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Returns the first certificate of the text; null if there is none or one of them is not whole.
Certificate ReadCertificates(const std::string& text) {
  const Bio bio = OpenText(text);
  Certificate first(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  if (first == nullptr) return nullptr;
  while (Certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) != nullptr) {
  }
  // At the regular end no further certificate begins.
  const bool is_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  return is_end ? std::move(first) : nullptr;
}

// Never asks for a password.
Key ReadKey(const std::string& text) {
  const auto no_password = [](char*, int, int, void*) { return 0; };
  return Key(PEM_read_bio_PrivateKey(OpenText(text).get(), nullptr, no_password, nullptr));
}

absl::Time ExpiryOf(const X509& certificate) {
  std::tm end{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(&certificate), &end) != 1) return absl::InfiniteFuture();
  return absl::FromTM(end, absl::UTCTimeZone());
}

std::string ToText(absl::Time time) {
  return absl::FormatTime(absl::RFC3339_sec, time, absl::UTCTimeZone());
}

std::string TextOf(const ASN1_STRING* text) {
  return std::string(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                     static_cast<std::size_t>(ASN1_STRING_length(text)));
}

std::string ServerNameOf(X509* certificate) {
  const Names names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type == GEN_DNS) return TextOf(name->d.dNSName);
  }
  X509_NAME* const subject = X509_get_subject_name(certificate);
  const int place = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (place < 0) return "";
  return TextOf(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, place)));
}

// Returns whether users other than the owner and the group may read it.
bool IsReadableByAll(const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 && (found.st_mode & S_IROTH) != 0;
}

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

absl::StatusOr<TlsTexts> ReadTlsFiles(const TlsFiles& files) {
  TlsTexts texts;
  absl::Status status = ReadFile({"tls_certificate", files.certificate}, &texts.certificate_chain);
  status.Update(ReadFile({"tls_key", files.key}, &texts.key));
  status.Update(ReadFile({"tls_client_ca", files.client_ca}, &texts.client_ca));
  if (!status.ok()) return status;
  return texts;
}

absl::StatusOr<TlsMaterial> JudgeTlsTexts(absl::StatusOr<TlsTexts> texts, const TlsFiles& files) {
  if (!texts.ok()) return texts.status();
  const Certificate certificate = ReadCertificates(texts->certificate_chain);
  if (certificate == nullptr) {
    return Unusable({"tls_certificate", files.certificate}, "holds no whole PEM certificate chain");
  }
  const Key key = ReadKey(texts->key);
  if (key == nullptr) {
    return Unusable({"tls_key", files.key}, "holds no PEM private key without a password");
  }
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    return Unusable({"tls_key", files.key},
                    absl::StrCat("is not the key of the certificate in ", files.certificate));
  }
  if (!texts->client_ca.empty() && ReadCertificates(texts->client_ca) == nullptr) {
    return Unusable({"tls_client_ca", files.client_ca}, "holds no whole PEM certificates");
  }
  const absl::Time expiry = ExpiryOf(*certificate);
  std::string name = ServerNameOf(certificate.get());
  return TlsMaterial{*std::move(texts), expiry, std::move(name)};
}

absl::StatusOr<std::unique_ptr<TlsCertificates>> TlsCertificates::Load(const TlsFiles& files,
                                                                       Metrics& metrics, Log* log) {
  std::unique_ptr<TlsCertificates> certificates(new TlsCertificates(files, metrics, log));
  certificates->seen_ = ReadTlsFiles(files);
  absl::StatusOr<TlsMaterial> material = JudgeTlsTexts(certificates->seen_, files);
  if (!material.ok()) return material.status();
  if (IsReadableByAll(files.key)) {
    log->Warning("everybody on this machine may read the private key", {{"tls_key", files.key}});
  }
  certificates->Use(*std::move(material));
  certificates->watcher_.emplace(
      std::chrono::seconds(1),
      [self = certificates.get()](bool is_asked) { self->LookAgain(is_asked); });
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
  const TlsTexts& texts = certificates.current_;
  const grpc_ssl_pem_key_cert_pair pair = {texts.key.c_str(), texts.certificate_chain.c_str()};
  // Without roots gRPC aborts, even if no client is asked for a certificate.
  const std::string& roots = texts.client_ca.empty() ? texts.certificate_chain : texts.client_ca;
  *config = grpc_ssl_server_certificate_config_create(roots.c_str(), &pair, 1);
  return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
}

// Two files cannot be replaced at once. So a pair that does not belong together is normal for a
// moment, and is tried again when one of them changes.
void TlsCertificates::LookAgain(bool is_asked) {
  absl::StatusOr<TlsTexts> texts = ReadTlsFiles(files_);
  if (!is_asked && texts == seen_) return;
  seen_ = std::move(texts);
  absl::StatusOr<TlsMaterial> material = JudgeTlsTexts(seen_, files_);
  if (material.ok() && material->expiry <= absl::Now())
    material = absl::InvalidArgumentError("the certificate expired " + ToText(material->expiry));
  if (material.ok()) {
    Use(*std::move(material));
    metrics_.tls_reloads(true).Increment();
    return;
  }
  metrics_.tls_reloads(false).Increment();
  log_->Warning("TLS reload failed; keeping previous certificate",
                {{"reason", material.status().message()}});
}

void TlsCertificates::Use(TlsMaterial material) {
  metrics_.tls_expiry().Set(static_cast<double>(absl::ToUnixSeconds(material.expiry)));
  const std::string expires = ToText(material.expiry);
  if (material.expiry <= absl::Now()) {
    log_->Warning("the TLS certificate has expired", {{"expires", expires}});
  }
  {
    const std::lock_guard lock(mutex_);
    current_ = std::move(material.texts);
    is_fetched_ = false;
  }
  log_->Info("TLS certificate in use",
             {{"tls_certificate", files_.certificate}, {"expires", expires}});
}

}  // namespace clearance::server
