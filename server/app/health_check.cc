// SPDX-License-Identifier: Apache-2.0
#include "server/app/health_check.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdlib>
#include <iostream>

#include "grpc/health/v1/health.grpc.pb.h"

namespace clearance::server {

using grpc::health::v1::Health;
using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

int CheckHealth(const std::string& address) {
  // Shorter than the timeouts that containers commonly give a probe.
  constexpr std::chrono::seconds kPatience(2);
  const auto stub =
      Health::NewStub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
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
