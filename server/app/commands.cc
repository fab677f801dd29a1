// SPDX-License-Identifier: Apache-2.0
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "server/access/token_file.h"
#include "server/app/run.h"
#include "server/guard/caller.h"
#include "server/storage/sqlite_shape_store.h"
#include "server/transport/tls_certificates.h"

namespace clearance::server {
namespace {

absl::StatusOr<std::shared_ptr<grpc::Channel>> OpenChannel(const std::string& address,
                                                           const TlsFiles& tls) {
  if (tls.certificate.empty()) {
    return grpc::CreateChannel(address, grpc::InsecureChannelCredentials());
  }
  const absl::StatusOr<TlsMaterial> material = JudgeTlsTexts(ReadTlsFiles(tls), tls);
  if (!material.ok()) return material.status();
  const std::string& chain = material->texts.certificate_chain;
  grpc::ChannelArguments arguments;
  arguments.SetSslTargetNameOverride(material->server_name);
  return grpc::CreateCustomChannel(
      address, grpc::SslCredentials({chain, material->texts.key, chain}), arguments);
}

int Fail(absl::string_view name, absl::string_view reason, int exit_code = EXIT_FAILURE) {
  std::cerr << name << ": " << reason << '\n';
  return exit_code;
}

}  // namespace

int CheckHealth(const std::string& address, const TlsFiles& tls) {
  // Shorter than the timeouts that containers commonly give a probe.
  constexpr std::chrono::seconds kPatience(2);
  const absl::StatusOr<std::shared_ptr<grpc::Channel>> channel = OpenChannel(address, tls);
  if (!channel.ok()) return Fail(address, channel.status().message());
  using grpc::health::v1::HealthCheckResponse;
  const auto stub = grpc::health::v1::Health::NewStub(*channel);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kPatience);
  HealthCheckResponse response;
  const grpc::Status status = stub->Check(&context, {}, &response);
  if (!status.ok()) return Fail(address, status.error_message());
  std::cout << HealthCheckResponse::ServingStatus_Name(response.status()) << '\n';
  return response.status() == HealthCheckResponse::SERVING ? EXIT_SUCCESS : EXIT_FAILURE;
}

int PrintNewToken(const std::string& id) {
  if (!IsPrincipalId(id)) {
    return Fail(absl::StrCat("clearance-server: --new_token=", id),
                "must name a principal: 1 to 64 characters of [a-z0-9][a-z0-9._-]*",
                kWrongArguments);
  }
  const absl::StatusOr<std::string> token = MakeToken();
  if (!token.ok()) return Fail("clearance-server", token.status().message());
  std::cout << *token << '\n' << id << ' ' << FormatTokenHash(*HashOfToken(*token)) << '\n';
  return EXIT_SUCCESS;
}

int BackUpTo(const std::string& file, const ServerConfig& config) {
  const absl::Status status = BackUp(config.data_dir, file);
  if (!status.ok()) return Fail("clearance-server", status.message(), kUnusableData);
  std::cout << "backed up to " << file << '\n';
  return EXIT_SUCCESS;
}

}  // namespace clearance::server
