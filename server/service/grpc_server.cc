// SPDX-License-Identifier: Apache-2.0

#include "server/service/grpc_server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "server/service/call.h"
#include "server/service/methods.h"
#include "server/service/poller.h"
#include "server/service/worker_pool.h"

namespace clearance::server {
namespace {

constexpr int kSecond = 1000;  // milliseconds, as channel arguments want them
constexpr int kMinute = 60 * kSecond;

// Channel arguments; the reasons are in the comments, since gRPC's defaults are made for other
// servers.
void SetArguments(grpc::ServerBuilder* builder) {
  // A second server on a port that is taken has to fail, not to share it.
  builder->AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  // Ordinary clients ping every 10 to 30 s; by default that ends their connection.
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10 * kSecond);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  // Peers that vanished are noticed; strangers that never finish their handshake are let go.
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kMinute);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20 * kSecond);
  builder->AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 5 * kSecond);
  // Connections without a call go; those with one live as long as their sessions.
  builder->AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, 5 * kMinute);
  // By default one connection may open any number.
  constexpr int kMaxStreamsAConnection = 1024;
  builder->AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxStreamsAConnection);
}

// One megabyte of compressed zeros would become a gigabyte before any limit fires.
void RefuseCompression(grpc::ServerBuilder* builder) {
  builder->SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  builder->SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
}

int AsInt(std::uint64_t bytes) {
  return static_cast<int>(std::min<std::uint64_t>(bytes, std::numeric_limits<int>::max()));
}

}  // namespace

// Members in the order of their ends, the last first: the pollers join, then gRPC's server goes,
// then the workers.
class GrpcServer::Impl {
 public:
  Impl(const GrpcServerOptions& options, const Limits& limits, Registry& registry, Metrics& metrics)
      : limits_(limits),
        workers_(options.worker_threads),
        parts_{limits_, registry, metrics, workers_, options.checker},
        methods_(parts_) {}
  ~Impl() { Shutdown(absl::Now()); }

  absl::Status Start(const GrpcServerOptions& options);
  int port() const { return port_; }
  void TurnUnhealthy() { server_->GetHealthCheckService()->SetServingStatus(false); }
  void BeginDrain();
  void Shutdown(absl::Time deadline);

 private:
  const Limits limits_;
  WorkerPool workers_;
  ServerParts parts_;
  Methods methods_;
  std::unique_ptr<grpc::Server> server_;
  std::vector<std::unique_ptr<Poller>> pollers_;
  int port_ = 0;
  bool is_draining_ = false;
  bool is_shut_down_ = false;
};

absl::Status GrpcServer::Impl::Start(const GrpcServerOptions& options) {
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  builder.AddListeningPort(options.listen_address, grpc::InsecureServerCredentials(), &port_);
  builder.SetMaxReceiveMessageSize(AsInt(limits_.max_transport_bytes));
  builder.SetMaxSendMessageSize(-1);  // replies keep to max_reply_bytes by themselves
  SetArguments(&builder);
  RefuseCompression(&builder);
  methods_.RegisterWith(&builder);
  for (int i = 0; i < options.polling_threads; ++i) {
    pollers_.push_back(std::make_unique<Poller>(builder.AddCompletionQueue()));
  }
  server_ = builder.BuildAndStart();
  if (server_ == nullptr || port_ == 0) {
    return absl::UnavailableError("cannot listen on " + options.listen_address +
                                  ": is the address taken?");
  }
  server_->GetHealthCheckService()->SetServingStatus(true);
  for (const char* service :
       {v1::QueryService::service_full_name(), v1::ShapeService::service_full_name(),
        v1::ServerService::service_full_name()}) {
    server_->GetHealthCheckService()->SetServingStatus(service, true);
  }
  for (const auto& poller : pollers_) {
    methods_.ServeOn(*poller);
    poller->Run();
  }
  return absl::OkStatus();
}

void GrpcServer::Impl::BeginDrain() {
  if (std::exchange(is_draining_, true) || is_shut_down_) return;
  TurnUnhealthy();
  for (const auto& poller : pollers_) poller->BeginDrain();
}

void GrpcServer::Impl::Shutdown(absl::Time deadline) {
  if (std::exchange(is_shut_down_, true) || server_ == nullptr) return;
  server_->Shutdown(absl::ToChronoTime(deadline));
  for (const auto& poller : pollers_) poller->AwaitEnd();
  pollers_.clear();
}

GrpcServer::GrpcServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

GrpcServer::~GrpcServer() = default;

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(const GrpcServerOptions& options,
                                                              const Limits& limits,
                                                              Registry& registry,
                                                              Metrics& metrics) {
  auto impl = std::make_unique<Impl>(options, limits, registry, metrics);
  if (absl::Status status = impl->Start(options); !status.ok()) return status;
  return std::unique_ptr<GrpcServer>(new GrpcServer(std::move(impl)));
}

int GrpcServer::port() const { return impl_->port(); }

void GrpcServer::TurnUnhealthy() { impl_->TurnUnhealthy(); }

void GrpcServer::BeginDrain() { impl_->BeginDrain(); }

void GrpcServer::Shutdown(absl::Time deadline) { impl_->Shutdown(deadline); }

}  // namespace clearance::server
