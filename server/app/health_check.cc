// SPDX-License-Identifier: Apache-2.0
#include "server/app/health_check.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "server/transport/tls_certificates.h"

namespace clearance::server {

using grpc::health::v1::Health;
using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

namespace {

absl::StatusOr<std::shared_ptr<grpc::Channel>> OpenChannel(const std::string& address,
                                                           const TlsFiles& tls) {
  if (tls.certificate.empty()) {
    return grpc::CreateChannel(address, grpc::InsecureChannelCredentials());
  }
  absl::StatusOr<TlsTexts> texts = ReadTlsFiles(tls);
  if (!texts.ok()) return texts.status();
  const absl::StatusOr<TlsMaterial> material = JudgeTlsTexts(*std::move(texts), tls);
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
  const auto stub = Health::NewStub(*channel);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kPatience);
  HealthCheckResponse response;
  const grpc::Status status = stub->Check(&context, HealthCheckRequest(), &response);
  if (!status.ok()) {
    std::cerr << address << ": " << status.error_message() << '\n';
    return EXIT_FAILURE;
  }
  std::cout << HealthCheckResponse::ServingStatus_Name(response.status()) << '\n';
  return response.status() == HealthCheckResponse::SERVING ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace clearance::server
