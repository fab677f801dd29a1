// SPDX-License-Identifier: Apache-2.0
#include "client/cli/tls_probe.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <memory>

#include "absl/strings/str_cat.h"

namespace clearance::client {
namespace {

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
using Handshake = std::unique_ptr<SSL, decltype(&SSL_free)>;

std::string OpenSslError() {
  const unsigned long code = ERR_get_error();
  const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return reason == nullptr ? "the connection was closed" : reason;
}

bool IsAddress(const std::string& host) {
  in6_addr ignored;
  return inet_pton(AF_INET, host.c_str(), &ignored) == 1 ||
         inet_pton(AF_INET6, host.c_str(), &ignored) == 1;
}

// Sets the trusted roots, and the client's certificate.
absl::Status Configure(const TlsArguments& arguments, SSL_CTX* context) {
  const bool has_roots = arguments.ca.empty() ? SSL_CTX_set_default_verify_paths(context) == 1
                                              : SSL_CTX_load_verify_locations(
                                                    context, arguments.ca.c_str(), nullptr) == 1;
  if (!has_roots)
    return absl::InvalidArgumentError(absl::StrCat(arguments.ca, ": ", OpenSslError()));
  if (arguments.certificate.empty()) return absl::OkStatus();
  if (SSL_CTX_use_certificate_chain_file(context, arguments.certificate.c_str()) == 1 &&
      SSL_CTX_use_PrivateKey_file(context, arguments.key.c_str(), SSL_FILETYPE_PEM) == 1 &&
      SSL_CTX_check_private_key(context) == 1) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(arguments.certificate, ", ", arguments.key, ": ", OpenSslError()));
}

// Sets the name that the server's certificate must be for.
void Expect(const std::string& name, SSL* handshake) {
  X509_VERIFY_PARAM* const rule = SSL_get0_param(handshake);
  if (IsAddress(name)) {
    X509_VERIFY_PARAM_set1_ip_asc(rule, name.c_str());
    return;
  }
  SSL_set_tlsext_host_name(handshake, name.c_str());
  X509_VERIFY_PARAM_set1_host(rule, name.c_str(), name.size());
}

std::string AddressText(const ASN1_OCTET_STRING& bytes) {
  char text[INET6_ADDRSTRLEN] = "";
  const int family = ASN1_STRING_length(&bytes) == 4 ? AF_INET : AF_INET6;
  inet_ntop(family, ASN1_STRING_get0_data(&bytes), text, sizeof(text));
  return text;
}

std::vector<std::string> NamesOf(const X509& certificate) {
  const std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> names(
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)),
      GENERAL_NAMES_free);
  std::vector<std::string> texts;
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME& name = *sk_GENERAL_NAME_value(names.get(), i);
    if (name.type == GEN_IPADD) texts.push_back(AddressText(*name.d.iPAddress));
    if (name.type != GEN_DNS) continue;
    texts.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name.d.dNSName)),
                       ASN1_STRING_length(name.d.dNSName));
  }
  return texts;
}

absl::Time ExpiryOf(const X509& certificate) {
  std::tm utc = {};
  ASN1_TIME_to_tm(X509_get0_notAfter(&certificate), &utc);
  return absl::FromTM(utc, absl::UTCTimeZone());
}

CertificateFault FaultOf(long verified) {
  switch (verified) {
    case X509_V_OK:
      return CertificateFault::kNone;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return CertificateFault::kName;
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return CertificateFault::kExpired;
    default:
      return CertificateFault::kUntrusted;
  }
}

// Returns why the server ended the connection; empty if it did not, or if nothing came in time. A
// server that requires a client certificate says so only after the client's part of the handshake;
// else its first bytes are HTTP/2's settings.
std::string RefusalAfter(SSL* handshake) {
  char byte = 0;
  errno = 0;
  if (SSL_peek(handshake, &byte, 1) == 1) return "";
  const bool is_late = errno == EAGAIN || errno == EWOULDBLOCK;
  return is_late ? "" : OpenSslError();
}

}  // namespace

absl::StatusOr<TlsPeer> ProbeTls(const TlsArguments& arguments, const std::string& host,
                                 const Socket& socket) {
  const Context context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  // The same as in gRPC.
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  if (absl::Status status = Configure(arguments, context.get()); !status.ok()) return status;
  const Handshake handshake(SSL_new(context.get()), SSL_free);
  // The result is checked afterwards.
  SSL_set_verify(handshake.get(), SSL_VERIFY_NONE, nullptr);
  Expect(arguments.server_name.empty() ? host : arguments.server_name, handshake.get());
  const unsigned char protocols[] = {2, 'h', '2'};
  SSL_set_alpn_protos(handshake.get(), protocols, sizeof(protocols));
  SSL_set_fd(handshake.get(), socket.descriptor());
  if (SSL_connect(handshake.get()) != 1) return absl::UnavailableError(OpenSslError());
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(
      SSL_get1_peer_certificate(handshake.get()), X509_free);
  if (certificate == nullptr) return absl::UnavailableError("the server showed no certificate");
  const long verified = SSL_get_verify_result(handshake.get());
  return TlsPeer{.protocol = SSL_get_version(handshake.get()),
                 .names = NamesOf(*certificate),
                 .expiry = ExpiryOf(*certificate),
                 .fault = FaultOf(verified),
                 .fault_text = X509_verify_cert_error_string(verified),
                 .refusal_text = RefusalAfter(handshake.get())};
}

}  // namespace clearance::client
