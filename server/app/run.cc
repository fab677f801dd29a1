// SPDX-License-Identifier: Apache-2.0
#include "server/app/run.h"

#include <malloc.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "server/app/health_check.h"
#include "server/app/operator_pages.h"
#include "server/app/port_file.h"
#include "server/app/shutdown_signals.h"
#include "server/config/command_line.h"
#include "server/config/flags.h"
#include "server/engine/answer_check.h"
#include "server/observe/http_server.h"
#include "server/observe/log.h"
#include "server/observe/metrics.h"
#include "server/registry/registry.h"
#include "server/service/grpc_server.h"

namespace clearance::server {
namespace {

constexpr int kWrongArguments = 2;

// What the drain may take beyond its own two times before the process ends itself.
constexpr absl::Duration kDrainSlack = absl::Seconds(10);

// glibc makes up to eight arenas a core, each of which keeps what a burst of sessions once took:
// one a core serves as many threads as run at once. Batches are some 10 KB to some MB: served by
// mmap each would cost its page faults anew.
void TuneAllocator() {
  constexpr int kMebibytes = 1 << 20;
  // NOLINTBEGIN(concurrency-mt-unsafe): no other thread runs yet
  mallopt(M_ARENA_MAX, static_cast<int>(std::max(2U, std::thread::hardware_concurrency())));
  mallopt(M_MMAP_THRESHOLD, 32 * kMebibytes);
  mallopt(M_TRIM_THRESHOLD, 64 * kMebibytes);
  // NOLINTEND(concurrency-mt-unsafe)
}

void LogSettings(Log* log) {
  const std::vector<std::pair<std::string, std::string>> values = FlagValues();
  std::vector<LogField> fields;
  fields.reserve(values.size());
  for (const auto& [name, value] : values) fields.emplace_back(name, value);
  log->Write(LogLevel::kInfo, "settings", fields);
}

int OnePerCoreIfZero(int threads) {
  return threads > 0 ? threads
                     : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

// Members are made in their order and end in the reverse of it: the HTTP port answers before gRPC
// starts and until it has stopped.
class Process {
 public:
  explicit Process(const ServerConfig& config)
      : config_(config),
        log_(config.log_format, config.log_level),
        signals_(config.drain_delay + config.drain_timeout + kDrainSlack, &log_),
        metrics_(CLEARANCE_VERSION),
        registry_(config.limits, &metrics_),
        checker_(config.check_sample, metrics_, log_),
        pages_(&metrics_) {}

  int Serve();

 private:
  absl::Status StartHttp();
  absl::Status StartGrpc();
  absl::Status BecomeReady();
  void Drain();

  const ServerConfig& config_;
  Log log_;
  ShutdownSignals signals_;
  Metrics metrics_;
  Registry registry_;
  AnswerChecker checker_;
  OperatorPages pages_;
  std::unique_ptr<HttpServer> http_;
  std::unique_ptr<GrpcServer> grpc_;
};

int Process::Serve() {
  log_.Info("starting", {{"version", CLEARANCE_VERSION}});
  LogSettings(&log_);
  absl::Status status = StartHttp();
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

absl::Status Process::StartHttp() {
  absl::StatusOr<std::unique_ptr<HttpServer>> http = HttpServer::Start(
      config_.http_listen, [this](absl::string_view path) { return pages_.Answer(path); });
  if (!http.ok()) return http.status();
  http_ = *std::move(http);
  return absl::OkStatus();
}

absl::Status Process::StartGrpc() {
  const GrpcServerOptions options = {.listen_address = config_.listen,
                                     .polling_threads = OnePerCoreIfZero(config_.polling_threads),
                                     .worker_threads = OnePerCoreIfZero(config_.worker_threads),
                                     .checker = &checker_};
  absl::StatusOr<std::unique_ptr<GrpcServer>> grpc =
      GrpcServer::Start(options, config_.limits, registry_, metrics_);
  if (!grpc.ok()) return grpc.status();
  grpc_ = *std::move(grpc);
  return absl::OkStatus();
}

absl::Status Process::BecomeReady() {
  pages_.SetReady(true);
  if (!config_.port_file.empty()) {
    absl::Status status = WritePortFile(config_.port_file, {grpc_->port(), http_->port()});
    if (!status.ok()) return status;
  }
  log_.Info("serving; shapes live in memory and end with the process",
            {{"grpc", config_.listen}, {"grpc_port", grpc_->port()}, {"http_port", http_->port()}});
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
  grpc_->Shutdown(absl::Now() + config_.drain_timeout);
}

int ServeWith(const ServerConfig& config) {
  TuneAllocator();
  // Debian builds Abseil with its search for deadlocks: every lock, gRPC's too, would be entered
  // into one graph of all threads, and a cycle found in it would abort the server.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  // A log reader that goes away must not take the server with it.
  std::signal(SIGPIPE, SIG_IGN);
  if (!config.port_file.empty()) RemovePortFile(config.port_file);
  return Process(config).Serve();
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
      std::cout << HelpText();
      return EXIT_SUCCESS;
    case Action::kShowVersion:
      std::cout << "clearance-server " << CLEARANCE_VERSION << '\n';
      return EXIT_SUCCESS;
    case Action::kCheckHealth:
      return CheckHealth(line->health_address);
    case Action::kServe:
      break;
  }
  return ServeWith(line->config);
}

}  // namespace clearance::server
