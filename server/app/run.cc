// SPDX-License-Identifier: Apache-2.0
#include "server/app/run.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "server/access/access_files.h"
#include "server/app/exposure.h"
#include "server/app/grpc_log.h"
#include "server/app/restore.h"
#include "server/app/shutdown_signals.h"
#include "server/config/build_options.h"
#include "server/config/command_line.h"
#include "server/config/settings.h"
#include "server/engine/answer_check.h"
#include "server/observe/http_server.h"
#include "server/observe/liveness.h"
#include "server/observe/log.h"
#include "server/observe/log_writer.h"
#include "server/observe/metrics.h"
#include "server/observe/steady_clock.h"
#include "server/page/operator_pages.h"
#include "server/registry/registry.h"
#include "server/schedule/accept_loop.h"
#include "server/storage/data_directory.h"
#include "server/storage/shape_ledger.h"
#include "server/storage/sqlite_shape_store.h"
#include "server/transport/grpc_server.h"
#include "server/transport/tls_certificates.h"
#if CLEARANCE_HAS_FENCE
#include "server/fence/listener.h"
#endif

namespace clearance::server {
namespace {

// Size limit of a reply to the page, which takes some hundred times as much on its path to JSON.
constexpr std::uint64_t kMostPageReply = kMebibyte;

// Time that the drain may take beyond its own two times before the process ends itself.
constexpr absl::Duration kDrainSlack = absl::Milliseconds(900);

// Limits glibc to one arena a core: it makes up to eight, each of which keeps the memory that a
// burst of sessions once took, and one a core serves as many threads as run at once. Batches take
// some 10 KB to some MB: each one served by mmap would cost its page faults again.
void TuneAllocator() {
  constexpr int kMebibytes = 1 << 20;
  // NOLINTBEGIN(concurrency-mt-unsafe): no other thread runs yet
  mallopt(M_ARENA_MAX, static_cast<int>(std::max(2U, std::thread::hardware_concurrency())));
  mallopt(M_MMAP_THRESHOLD, 32 * kMebibytes);
  mallopt(M_TRIM_THRESHOLD, 64 * kMebibytes);
  // NOLINTEND(concurrency-mt-unsafe)
}

// Secrets are in files, of which settings are the names.
void LogSettings(const ServerConfig& config, Log* log) {
  std::deque<std::string> values;  // of the fields, which borrow them
  std::vector<LogField> fields;
  for (const Setting& setting : AllSettings()) {
    const std::string& value = values.emplace_back(setting.print(config));
    if (value != setting.default_value()) fields.emplace_back(setting.name, value);
  }
  log->Write(LogLevel::kInfo,
             fields.empty() ? "all settings have their defaults"
                            : "settings that differ from their defaults",
             fields);
}

// Puts what was made in its place.
template <class Made, class Place>
absl::Status Put(absl::StatusOr<Made> made, Place* place) {
  if (!made.ok()) return made.status();
  *place = *std::move(made);
  return absl::OkStatus();
}

// Owns the parts of the server. Members are made in their order and end in reverse order: the HTTP
// port answers from before shapes are read and gRPC starts until gRPC has stopped; then the ledger
// ends, and the directory is free.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): there is one of it
class Process {
 public:
  explicit Process(const ServerConfig& config)
      : config_(config),
        metrics_(CLEARANCE_VERSION),
        log_writer_(STDERR_FILENO, config.log_format,
                    {metrics_.audit_lines_lost(), metrics_.log_lines_lost()}),
        log_(config.log_format, config.log_level, &log_writer_),
        grpc_log_(&log_),
        signals_(config.drain_delay + config.drain_timeout + kDrainSlack, &log_),
        quotas_(config.principal.holding, &metrics_),
        registry_(config.limits, &metrics_, &quotas_),
        scenes_(config.limits, &metrics_, &quotas_),
        checker_(config.check_sample, metrics_, log_),
        liveness_(config.liveness_patience, metrics_),
        pages_(&metrics_, &liveness_) {}

  // Refuses calls of the page before gRPC ends; probes are answered until it has ended.
  ~Process() {
    signals_.OnHangup(nullptr);
    pages_.SetReady(false);
    if (grpc_ != nullptr) grpc_->Shutdown(absl::ZeroDuration());
    http_.reset();
  }

  int Serve();

 private:
  void SettleConfig();
  absl::Status ReadAccessRules();
  absl::Status StartHttp();
  absl::Status StartLedger();
  absl::StatusOr<std::unique_ptr<ShapeStore>> OpenStore();
  absl::Status StartGrpc();
  absl::Status BecomeReady();
  void Drain();

  ServerConfig config_;
  Metrics metrics_;
  LogWriter log_writer_;
  Log log_;
  GrpcLog grpc_log_;
  ShutdownSignals signals_;
  HoldingQuotas quotas_;
  Registry registry_;
  SceneRegistry scenes_;
  AnswerChecker checker_;
  std::unique_ptr<AccessFiles> access_;  // null: without a policy
  Liveness liveness_;
  OperatorPages pages_;
  std::optional<DataDirectory> directory_;
  std::unique_ptr<ShapeLedger> ledger_;
  std::unique_ptr<HttpServer> http_;
  std::unique_ptr<TlsCertificates> tls_;
  std::unique_ptr<AcceptLoop> accept_loop_;  // null: without the fence
  std::unique_ptr<GrpcServer> grpc_;
};

int Process::Serve() {
  log_.Info("starting", {{"version", CLEARANCE_VERSION}});
  LogSettings(config_, &log_);
  SettleConfig();
  absl::Status status = ReadAccessRules();
  if (status.ok()) status = StartHttp();
  if (status.ok()) {
    if (absl::Status data = StartLedger(); !data.ok()) {
      if (signals_.has_come()) {
        log_.Info("ended before it served");
        return EXIT_SUCCESS;
      }
      log_.Error(config_.etcd.endpoints.empty() ? "cannot use the data directory"
                                                : "cannot use the shared store",
                 {{"reason", data.message()}});
      return kUnusableData;
    }
  }
  if (status.ok()) status = StartGrpc();
  if (status.ok()) status = BecomeReady();
  if (!status.ok()) {
    log_.Error("cannot start", {{"reason", status.message()}});
    return EXIT_FAILURE;
  }
  signals_.Wait();
  Drain();
  log_.Info("stopped");
  return EXIT_SUCCESS;
}

// Puts what this machine allows, and what is due by default, in the place of what was asked for.
void Process::SettleConfig() {
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  if (config_.worker_threads == 0) config_.worker_threads = cores;
  // gRPC lets one thread at a time wait for all connections of all clients. With two of them, one
  // reads nearly every message and the other answers it, at twice the cost. One is enough for as
  // many cores as a server of small messages keeps busy.
  if (config_.polling_threads == 0) config_.polling_threads = std::max(1, cores / 4);
  config_.reflection = ShowsReflection(config_) ? Reflection::kOn : Reflection::kOff;
  config_.max_connections = FittingConnections(config_.max_connections, &log_);
  metrics_.ShowLimits(config_);
}

absl::Status Process::ReadAccessRules() {
  absl::Status status;
  if (!config_.tls.certificate.empty())
    status = Put(TlsCertificates::Load(config_.tls, metrics_, &log_), &tls_);
  if (status.ok() && !config_.policy_file.empty())
    status = Put(AccessFiles::Load(config_, log_, metrics_, quotas_), &access_);
  if (access_ != nullptr) access_->Watch();
  signals_.OnHangup([this] {
    if (access_ != nullptr) access_->ReadSoon();
    if (tls_ != nullptr) tls_->LookSoon();
  });
  return status;
}

absl::Status Process::StartHttp() {
  if (!config_.page_dir.empty()) {
    pages_.AnswerCalls([this] { return grpc_->ChannelToItself(kMostPageReply); },
                       /*checks_callers=*/access_ != nullptr);
    if (absl::Status status = pages_.ShowPage(config_.page_dir); !status.ok()) return status;
  }
  if (IsLocalOnly(config_.http_listen)) pages_.AnswerAddressesOnly();
  return Put(HttpServer::Start(
                 config_.http_listen,
                 [this](const HttpRequest& request) { return pages_.Answer(request); },
                 [this](const std::string& path) { return pages_.TakesBody(path); }),
             &http_);
}

absl::Status Process::StartLedger() {
  std::unique_ptr<ShapeStore> store;
  std::unique_ptr<SharedRegistry> shared;
  const bool is_shared = !config_.etcd.endpoints.empty();
  const SteadyTime began = SteadyNow();
  absl::Status status;
  if constexpr (kHasEtcd) {
    if (is_shared) {
      status = Put(JoinRegistry({.config = config_.etcd,
                                 .shapes = &registry_,
                                 .scenes = &scenes_,
                                 .metrics = &metrics_,
                                 .log = &log_,
                                 .threads = config_.worker_threads,
                                 .is_ended = [this] { return signals_.has_come(); }}),
                   &shared);
    }
  }
  if (!is_shared && !config_.data_dir.empty()) status = Put(OpenStore(), &store);
  if (!status.ok()) return status;
  if (shared != nullptr || store != nullptr) {
    log_.Info("shapes and scenes are stored and were read",
              {{"data_dir", config_.data_dir},
               {"shapes", registry_.size()},
               {"revision", registry_.revision()},
               {"scenes", scenes_.size()},
               {"seconds", absl::ToDoubleSeconds(SteadyNow() - began)}});
  } else {
    log_.Info("shapes and scenes live in memory and end with the process");
  }
  ledger_ = std::make_unique<ShapeLedger>(ShapeLedger::Parts{.registry = registry_,
                                                             .store = std::move(store),
                                                             .metrics = &metrics_,
                                                             .log = &log_,
                                                             .scenes = scenes_,
                                                             .shared = std::move(shared)});
  if (!config_.etcd.ready_without) pages_.ReadyWhile([this] { return ledger_->is_healthy(); });
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<ShapeStore>> Process::OpenStore() {
  absl::Status status = Put(DataDirectory::Open(config_.data_dir), &directory_);
  if (!status.ok()) return status;
  if (directory_->is_open_to_others()) {
    log_.Warning("other users may enter the data directory; its files are the server's alone",
                 {{"data_dir", config_.data_dir}});
  }
  absl::StatusOr<std::unique_ptr<SqliteShapeStore>> store =
      SqliteShapeStore::Open(DatabasePath(config_.data_dir));
  if (!store.ok()) return store.status();
  status = directory_->MarkUsed();
  if (status.ok()) status = RestoreShapes(config_.worker_threads, store->get(), &registry_);
  if (status.ok()) status = RestoreScenes(store->get(), registry_, &scenes_);
  if (!status.ok()) return status;
  metrics_.store().bytes->Set(static_cast<double>((*store)->byte_size()));
  return std::unique_ptr<ShapeStore>(*std::move(store));
}

absl::Status Process::StartGrpc() {
  WarnOfStrangers(config_, &log_);
#if CLEARANCE_HAS_FENCE
  absl::Status status = Put(Listener::Open(config_, metrics_.connections(), &log_), &accept_loop_);
  if (!status.ok()) return status;
#else
  log_.Warning("this build has no fence: connections are neither limited nor cut",
               {{"option", kFence.option}});
#endif
  return Put(GrpcServer::Start({.config = config_,
                                .accept_loop = accept_loop_.get(),
                                .tls = tls_.get(),
                                .checker = &checker_,
                                .authenticator = access_ ? &access_->authenticator() : nullptr,
                                .log = &log_,
                                .ledger = ledger_.get(),
                                .liveness = &liveness_},
                               registry_, metrics_),
             &grpc_);
}

absl::Status Process::BecomeReady() {
  pages_.SetReady(true);
  if (!config_.port_file.empty()) {
    absl::Status status = WritePortFile(config_.port_file, grpc_->port(), http_->port());
    if (!status.ok()) return status;
  }
  log_.Info("serving", {{"grpc", config_.listen},
                        {"tls", TlsMode(config_.tls)},
                        {"callers", CallersMode(config_)},
                        {"grpc_port", grpc_->port()},
                        {"http_port", http_->port()}});
  return absl::OkStatus();
}

void Process::Drain() {
  pages_.SetReady(false);
  grpc_->TurnUnhealthy();
  log_.Info("not ready: new work should go elsewhere",
            {{"drain_delay", absl::FormatDuration(config_.drain_delay)}});
  absl::SleepFor(config_.drain_delay);
  log_.Info("ending sessions", {{"drain_timeout", absl::FormatDuration(config_.drain_timeout)}});
  grpc_->BeginDrain();
  grpc_->Shutdown(config_.drain_timeout);
}

}  // namespace

int Run(absl::Span<const char* const> arguments) {
  const absl::StatusOr<CommandLine> line = ParseArguments(arguments);
  if (!line.ok()) {
    std::cerr << "clearance-server: " << line.status().message() << '\n';
    return kWrongArguments;
  }
  switch (line->action) {
    case Action::kShowHelp:
    case Action::kShowFullHelp:
      std::cout << HelpText(line->action);
      return EXIT_SUCCESS;
    case Action::kShowVersion:
      std::cout << "clearance-server " << CLEARANCE_VERSION << '\n';
      return EXIT_SUCCESS;
    case Action::kCheckHealth:
      return CheckHealth(line->argument, line->config.tls);
    case Action::kMakeToken:
      return PrintNewToken(line->argument);
    case Action::kBackUp:
      return BackUpTo(line->argument, line->config);
    case Action::kServe:
      break;
  }
  TuneAllocator();
  BlockShutdownSignals();
  // Debian builds Abseil with its deadlock detection: every lock, gRPC's too, would be entered into
  // one graph of all threads, and a cycle found in it would abort the server.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  // A log reader that closes its end must not end the server.
  std::signal(SIGPIPE, SIG_IGN);
  if (!line->config.port_file.empty())
    std::remove(line->config.port_file.c_str());  // of an earlier run
  return Process(line->config).Serve();
}

}  // namespace clearance::server
