// SPDX-License-Identifier: Apache-2.0

#include "tests/fleet/replicas.h"

#include <grpcpp/grpcpp.h>

#include <cstdlib>
#include <ctime>
#include <stdexcept>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clearance/v1/shape_service.grpc.pb.h"
#include "tests/integration/process/server_view.h"
#include "tests/support/raw_http.h"

namespace clearance::fleet {
namespace {

double ProcessorSecondsOf(const test::ServerProcess& server) {
  clockid_t clock;
  timespec used;
  if (clock_getcpuclockid(server.pid(), &clock) != 0 || clock_gettime(clock, &used) != 0)
    throw std::runtime_error("a server's processor time cannot be read");
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

}  // namespace

Replicas::Replicas(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    servers_.emplace_back(std::vector<std::string>{etcd_.StoreFlag(), "--max_sessions=8192"});
    if (servers_.back().grpc_port() == 0)
      throw std::runtime_error("a server does not start:\n" + servers_.back().process().output());
  }
}

std::string Replicas::addresses() const {
  return "ipv4:" + absl::StrJoin(servers_, ",", [](std::string* out, const auto& server) {
           *out += server.grpc_address();
         });
}

void Replicas::Register(const std::vector<v1::Shape>& shapes) {
  const auto service = v1::ShapeService::NewStub(
      grpc::CreateChannel(servers_.front().grpc_address(), grpc::InsecureChannelCredentials()));
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    v1::RegisterShapeRequest request;
    request.set_name(absl::StrCat("shape-", i));
    *request.mutable_shape() = shapes[i];
    v1::RegisterShapeResponse response;
    grpc::ClientContext context;
    const grpc::Status status = service->RegisterShape(&context, request, &response);
    if (!status.ok()) throw std::runtime_error("a shape is refused: " + status.error_message());
  }
  for (const test::ServerProcess& server : servers_) {
    if (!test::AwaitMetric(server, "clearance_shapes", static_cast<double>(shapes.size())))
      throw std::runtime_error("a replica does not tell how many shapes it has");
  }
}

double Replicas::ProcessorSeconds() const {
  double seconds = 0;
  for (const test::ServerProcess& server : servers_) seconds += ProcessorSecondsOf(server);
  return seconds;
}

double Replicas::ResidentBytes() const {
  double bytes = 0;
  for (const test::ServerProcess& server : servers_) bytes += test::ResidentBytes(server);
  return bytes;
}

std::vector<double> Replicas::SessionsOfEach() const {
  std::vector<double> sessions;
  for (const test::ServerProcess& server : servers_)
    sessions.push_back(test::MetricOf(server, "clearance_sessions_open"));
  return sessions;
}

double Replicas::BytesSentByEtcd() const {
  return MetricOfEtcd("etcd_network_client_grpc_sent_bytes_total");
}

double Replicas::ReadsOfEtcd() const {
  return MetricOfEtcd(
      R"(grpc_server_started_total{grpc_method="Range",grpc_service="etcdserverpb.KV",grpc_type="unary"})");
}

double Replicas::MetricOfEtcd(const std::string& series) const {
  const std::string& endpoint = etcd_.endpoints().front();
  const int port = std::atoi(endpoint.c_str() + endpoint.rfind(':') + 1);
  const std::string page = test::HttpGet(port, "/metrics");
  const std::size_t line = page.find("\n" + series + " ");
  if (line == std::string::npos) throw std::runtime_error("etcd does not tell " + series);
  return std::strtod(page.c_str() + line + series.size() + 2, nullptr);
}

}  // namespace clearance::fleet
