// SPDX-License-Identifier: Apache-2.0
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "server/access/token_file.h"
#include "server/app/run.h"
#include "server/guard/principal.h"
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

}  // namespace

int CheckHealth(const std::string& address, const TlsFiles& tls) {
  // Shorter than the timeouts that containers commonly give a probe.
  constexpr std::chrono::seconds kPatience(2);
  const absl::StatusOr<std::shared_ptr<grpc::Channel>> channel = OpenChannel(address, tls);
  if (!channel.ok()) {
    std::cerr << address << ": " << channel.status().message() << '\n';
    return EXIT_FAILURE;
  }
  using grpc::health::v1::HealthCheckResponse;
  const auto stub = grpc::health::v1::Health::NewStub(*channel);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kPatience);
  HealthCheckResponse response;
  const grpc::Status status = stub->Check(&context, {}, &response);
  if (!status.ok()) {
    std::cerr << address << ": " << status.error_message() << '\n';
    return EXIT_FAILURE;
  }
  std::cout << HealthCheckResponse::ServingStatus_Name(response.status()) << '\n';
  return response.status() == HealthCheckResponse::SERVING ? EXIT_SUCCESS : EXIT_FAILURE;
}

int PrintNewToken(const std::string& id) {
  if (!IsPrincipalId(id)) {
    std::cerr << "clearance-server: --new_token=" << id
              << ": must name a principal: 1 to 64 characters of [a-z0-9][a-z0-9._-]*\n";
    return kWrongArguments;
  }
  const absl::StatusOr<std::string> token = MakeToken();
  if (!token.ok()) {
    std::cerr << "clearance-server: " << token.status().message() << '\n';
    return EXIT_FAILURE;
  }
  std::cout << *token << '\n' << id << ' ' << FormatTokenHash(*HashOfToken(*token)) << '\n';
  return EXIT_SUCCESS;
}

int BackUpTo(const std::string& file, const ServerConfig& config) {
  const absl::Status status = BackUp(config.data_dir, file);
  if (!status.ok()) {
    std::cerr << "clearance-server: " << status.message() << '\n';
    return kUnusableData;
  }
  std::cout << "backed up to " << file << '\n';
  return EXIT_SUCCESS;
}

}  // namespace clearance::server
