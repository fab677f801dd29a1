// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/process/server_view.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "grpc/health/v1/health.grpc.pb.h"
#include "tests/support/raw_http.h"

namespace clearance::test {

double MetricOf(const ServerProcess& server, const std::string& series) {
  const std::string page = HttpGet(server.http_port(), "/metrics");
  const std::size_t line = page.find("\n" + series + " ");
  EXPECT_NE(line, std::string::npos) << series;
  if (line == std::string::npos) return -1;
  return std::strtod(page.c_str() + line + series.size() + 2, nullptr);
}

bool AwaitMetric(const ServerProcess& server, const std::string& series, double value) {
  while (MetricOf(server, series) != value) {
    if (::testing::Test::HasFailure()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

bool Serves(const ServerProcess& server) {
  grpc::ChannelArguments own;
  own.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  const auto health = grpc::health::v1::Health::NewStub(
      grpc::CreateCustomChannel(server.grpc_address(), grpc::InsecureChannelCredentials(), own));
  // No deadline, which a busy machine could exceed: ctest has one for all.
  grpc::ClientContext context;
  // gRPC 1.51 may take what another system call left in errno for the outcome of its connect()
  // (grpc/grpc#35064); then it tries once more.
  context.set_wait_for_ready(true);
  grpc::health::v1::HealthCheckResponse response;
  return health->Check(&context, {}, &response).ok() &&
         response.status() == grpc::health::v1::HealthCheckResponse::SERVING;
}

double ResidentBytes(const ServerProcess& server) {
  return MetricOf(server, "process_resident_memory_bytes");
}

NewToken MakeToken(const std::string& id) {
  const Completed run = RunServerProgram({"--new_token=" + id});
  EXPECT_EQ(run.exit_code, 0) << run.output;
  NewToken made;
  std::istringstream output(run.output);
  std::getline(output, made.token);
  std::getline(output, made.line);
  return made;
}

}  // namespace clearance::test
