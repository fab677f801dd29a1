// SPDX-License-Identifier: Apache-2.0

#include "server/transport/grpc_server.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>

#include <algorithm>
#include <limits>

#include "server/config/listen_address.h"
#include "server/observe/periodic_thread.h"
#include "server/observe/steady_clock.h"
#include "server/schedule/work.h"
#include "server/schedule/worker_pool.h"
#include "server/session/session_room.h"
#include "server/transport/late_calls.h"
#include "server/transport/methods.h"

namespace clearance::server {
namespace {

constexpr int kSecond = 1000;  // milliseconds, as channel arguments want them
constexpr int kMinute = 60 * kSecond;

int AsInt(std::uint64_t number) {
  return static_cast<int>(std::min<std::uint64_t>(number, std::numeric_limits<int>::max()));
}

// gRPC takes the largest number as infinite.
int AsMilliseconds(absl::Duration time) {
  return AsInt(static_cast<std::uint64_t>(absl::ToInt64Milliseconds(time)));
}

// Sets channel arguments. The comments give the reasons, since gRPC's defaults are made for other
// servers.
void SetArguments(const ServerConfig& config, grpc::ServerBuilder* builder) {
  // Ordinary clients ping every 10 to 30 s; by default that ends their connection.
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10 * kSecond);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  // Notices peers that vanished, and drops strangers that never finish their handshake.
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kMinute);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20 * kSecond);
  builder->AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 5 * kSecond);
  // Connections without a call are closed. Those with one live as long as their sessions, beyond
  // any age, or until the grace is over.
  builder->AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS,
                              AsMilliseconds(config.max_connection_idle));
  builder->AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS,
                              AsMilliseconds(config.max_connection_age));
  builder->AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS,
                              AsMilliseconds(config.max_connection_age_grace));
  // Bytes of one read, streams above all, are parsed before any code here can look at them. By
  // default that is up to 4 MiB.
  constexpr int kMaxReadBytes = 64 << 10;
  builder->AddChannelArgument(GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, kMaxReadBytes);
  // By default one connection may open any number of streams.
  builder->AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS,
                              AsInt(config.max_streams_per_connection));
  // A second server on a taken port must fail, not share it.
  builder->AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  // One megabyte of compressed zeros would become a gigabyte before any limit fires.
  builder->SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  builder->SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
}

// Limits the bytes that gRPC has read and not given to a call yet: messages that are not whole, and
// those of sessions that are not read. Only gRPC sees them. At this limit it makes peers wait, ends
// idle connections and finally ends some calls of any client.
void LimitReceivedBytes(std::uint64_t most, grpc::ServerBuilder* builder) {
  // Below this, gRPC would do so without an attack.
  constexpr std::uint64_t kLeast = 64 * kMebibyte;
  grpc::ResourceQuota quota("received");
  quota.Resize(std::max(kLeast, most));
  builder->SetResourceQuota(quota);
}

using Acceptor = grpc::experimental::ExternalConnectionAcceptor;

WatchedLoop LoopOf(Poller& poller) {
  return {.kind = LoopKind::kPoll,
          .turns = [&poller] { return poller.turns(); },
          .ask = [&poller] { poller.AskToTurn(); }};
}

// Members end in reverse order: the pollers join, then gRPC's server ends, then the workers.
class RunningServer final : public GrpcServer {
 public:
  RunningServer(const GrpcServerOptions& options, Registry& registry, Metrics& metrics)
      : limits_(options.config.limits),
        workers_(options.config.worker_threads, CostOf(options.config.max_pending_work),
                 options.config.worker_niceness),
        liveness_(options.liveness),
        memory_scenes_(limits_, &metrics, registry.quotas()),
        session_bytes_(kSessionBytes, options.config.max_total_session_bytes,
                       &metrics.total_session_bytes()),
        memory_ledger_({.registry = registry, .store = nullptr, .scenes = memory_scenes_}),
        refusal_log_(options.log == nullptr ? nullptr : std::make_unique<RefusalLog>(*options.log)),
        parts_{.limits = limits_,
               .registry = registry,
               .metrics = metrics,
               .workers = workers_,
               .ledger = options.ledger == nullptr ? memory_ledger_ : *options.ledger,
               .scenes = options.ledger == nullptr ? &memory_scenes_ : &options.ledger->scenes(),
               .checker = options.checker,
               .authenticator = options.authenticator,
               .audit = options.log,
               .refusal_log = refusal_log_.get(),
               .bytes = ShareLedger(kBytesInFlight, options.config.max_total_bytes_in_flight,
                                    &metrics.total_bytes_in_flight()),
               .tracks = &tracks_,
               .session_bytes = &session_bytes_,
               .accept_loop = options.accept_loop,
               .first_message_timeout = options.config.first_message_timeout},
        expiry_(std::chrono::milliseconds(250),
                [scenes = parts_.scenes, &registry](bool /*is_asked*/) {
                  scenes->Expire();
                  scenes->held().Look();
                  registry.LookAtDetached();
                }),
        methods_(parts_, health_, options.config.reflection == Reflection::kOn) {}
  ~RunningServer() override { Shutdown(absl::ZeroDuration()); }

  absl::Status Start(const GrpcServerOptions& options);
  int port() const override { return port_; }
  std::shared_ptr<grpc::Channel> ChannelToItself(std::uint64_t most_reply_bytes) override {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(AsInt(most_reply_bytes));
    return server_->InProcessChannel(arguments);
  }
  void TurnUnhealthy() override {
    health_.TurnUnhealthy();
    LookAgain();
  }
  void BeginDrain() override;
  void Shutdown(absl::Duration patience) override;

 private:
  void ListenWith(const GrpcServerOptions& options, grpc::ServerBuilder* builder);
  void LookAgain() const {
    for (const auto& poller : pollers_) poller->LookAgain();
  }
  void RunAcceptLoop();
  void WatchLoops();

  const Limits limits_;
  WorkerPool workers_;
  Liveness* const liveness_;
  SceneRegistry memory_scenes_;
  TrackRegistry tracks_;
  ShareLedger session_bytes_;
  ShapeLedger memory_ledger_;
  const std::unique_ptr<RefusalLog> refusal_log_;  // null: without a log
  ServerParts parts_;
  // Removes expired scenes, so that they hold no memory although no caller asks for them, and looks
  // for detached things that are gone by now. No thread waits for it: an expired scene is not found
  // any more, whether it was removed or not.
  const PeriodicThread expiry_;
  HealthBoard health_;
  Methods methods_;
  std::unique_ptr<grpc::Server> server_;
  std::vector<std::unique_ptr<Poller>> pollers_;
  std::unique_ptr<Acceptor> acceptor_;  // null: gRPC listens itself
  int port_ = 0;                        // 0: of a unix path, or none
  bool is_draining_ = false;
  bool is_shut_down_ = false;
};

absl::Status RunningServer::Start(const GrpcServerOptions& options) {
  grpc::ServerBuilder builder;
  ListenWith(options, &builder);
  builder.SetMaxReceiveMessageSize(AsInt(limits_.max_transport_bytes));
  builder.SetMaxSendMessageSize(-1);  // replies themselves keep to max_reply_bytes
  SetArguments(options.config, &builder);
  LimitReceivedBytes(options.config.max_total_bytes_in_flight, &builder);
  methods_.RegisterWith(&builder);
  for (int i = 0; i < options.config.polling_threads; ++i) {
    pollers_.push_back(std::make_unique<Poller>(builder.AddCompletionQueue()));
  }
  server_ = builder.BuildAndStart();
  if (server_ == nullptr) {
    return absl::UnavailableError("gRPC cannot start on " + options.config.listen +
                                  "; its log says why");
  }
  if (IsUnixAddress(options.config.listen)) port_ = 0;
  health_.Set("", true);
  for (const char* service : kServices) health_.Set(service, true);
  const bool tells_of_whole = !options.config.etcd.ready_without;
  parts_.ledger.WatchHealth([this, tells_of_whole](bool is_healthy) {
    if (tells_of_whole) health_.Set("", is_healthy);
    health_.Set(v1::ShapeService::service_full_name(), is_healthy);
    health_.Set(v1::SceneService::service_full_name(), is_healthy);
    LookAgain();
  });
  if (parts_.authenticator != nullptr) parts_.authenticator->WatchRules([this] { LookAgain(); });
  for (const auto& poller : pollers_) {
    methods_.ServeOn(*poller);
    poller->Run();
  }
  if (acceptor_ != nullptr) RunAcceptLoop();
  WatchLoops();
  return absl::OkStatus();
}

void RunningServer::ListenWith(const GrpcServerOptions& options, grpc::ServerBuilder* builder) {
  auto credentials =
      options.tls == nullptr ? grpc::InsecureServerCredentials() : options.tls->MakeCredentials();
  if (options.accept_loop == nullptr) {
    builder->AddListeningPort(options.config.listen, std::move(credentials), &port_);
    return;
  }
  port_ = options.accept_loop->port();
  acceptor_ = builder->experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
      std::move(credentials));
}

void RunningServer::RunAcceptLoop() {
  std::vector<ReadingThread> readers;
  for (const auto& poller : pollers_) {
    readers.push_back(
        {.loop = LoopOf(*poller), .held_for = [&poller = *poller] { return poller.HeldFor(); }});
  }
  parts_.accept_loop->Start(
      [this](Descriptor connection) {
        Acceptor::NewConnectionParameters parameters;
        parameters.fd = connection.Release();
        acceptor_->HandleNewConnection(&parameters);
      },
      readers);
}

void RunningServer::WatchLoops() {
  if (liveness_ == nullptr) return;
  std::vector<WatchedLoop> loops;
  if (acceptor_ != nullptr) loops = parts_.accept_loop->Loops();
  for (const auto& poller : pollers_) loops.push_back(LoopOf(*poller));
  loops.push_back({.kind = LoopKind::kWork, .turns = [this] { return workers_.turns(); }});
  liveness_->Watch(std::move(loops));
}

void RunningServer::BeginDrain() {
  if (std::exchange(is_draining_, true) || is_shut_down_) return;
  TurnUnhealthy();
  for (const auto& poller : pollers_) poller->BeginDrain();
}

void RunningServer::Shutdown(absl::Duration patience) {
  if (std::exchange(is_shut_down_, true) || server_ == nullptr) return;
  // From here on loops end on purpose.
  if (liveness_ != nullptr) liveness_->Watch({});
  if (acceptor_ != nullptr) parts_.accept_loop->StopAccepting();
  parts_.ledger.WatchHealth(nullptr);
  if (parts_.authenticator != nullptr) parts_.authenticator->WatchRules(nullptr);
  {
    const LateCalls late_calls(server_.get());
    // gRPC takes a time of the wall clock and turns it into one of the steady clock at once.
    server_->Shutdown(absl::ToChronoTime(WallNow() + patience));
  }
  if (acceptor_ != nullptr) parts_.accept_loop->Close();
  for (const auto& poller : pollers_) poller->AwaitEnd();
  pollers_.clear();
}

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(const GrpcServerOptions& options,
                                                              Registry& registry,
                                                              Metrics& metrics) {
  auto server = std::make_unique<RunningServer>(options, registry, metrics);
  if (absl::Status status = server->Start(options); !status.ok()) return status;
  return server;
}

}  // namespace clearance::server
