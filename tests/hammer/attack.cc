// SPDX-License-Identifier: Apache-2.0
//
// One attack after another on the real program, each for some seconds, while an honest client asks:
//   attack [--seconds=N] [--max_p99_ratio=R] [--behind=PROXY] [--only=TEXT]
// Says what each cost the server and how the honest client fared, beside a control run in which
// something else burns the attacker's processor time; behind a proxy of docker/proxy, if told so.
// The server has one core to itself, where there are two, and everybody else the other. Fails if
// the server ended, did not serve within kMostRecovery afterwards, or held more memory than
// kMaxBytes; under an attack that it is cured of also if an honest question failed, or the 99th
// percentile of their times exceeds so many times that of the control.

#include <grpcpp/grpcpp.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/match.h"
#include "clearance/v1/query_service.grpc.pb.h"
#include "tests/hammer/attacks.h"
#include "tests/hammer/proxy_before.h"
#include "tests/hammer/result_line.h"
#include "tests/integration/process/server_process.h"
#include "tests/integration/process/server_view.h"

ABSL_FLAG(int, seconds, 5, "How long each attack lasts, and its control.");
ABSL_FLAG(double, max_p99_ratio, std::numeric_limits<double>::infinity(),
          "How many times as long an honest question may take, in the 99th percentile.");
ABSL_FLAG(std::string, behind, "", "The proxy before the server: haproxy or nginx; empty: none.");
ABSL_FLAG(std::string, only, "", "Only the attacks whose names have this in them.");

namespace clearance::test {
namespace {

using hammer::PrintResult;
using hammer::Result;
using Clock = AttackClock;

constexpr double kMaxBytes = 4e9;
constexpr std::chrono::seconds kMostRecovery(5);

// The process, and all that it starts from now on.
void PinTo(pid_t process, int core) {
  if (std::thread::hardware_concurrency() < 2) return;
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  sched_setaffinity(process, sizeof cores, &cores);
}

// A server on its own core, each of its threads, and the proxy before it, if there is to be one.
class Stand {
 public:
  Stand() : server_(Arguments()) {
    const std::string tasks = "/proc/" + std::to_string(server_.pid()) + "/task";
    for (const auto& task : std::filesystem::directory_iterator(tasks)) {
      PinTo(std::atoi(task.path().filename().c_str()), 1);
    }
    if (HasProxy()) proxy_.emplace(server_, absl::GetFlag(FLAGS_behind));
  }

  static bool HasProxy() { return !absl::GetFlag(FLAGS_behind).empty(); }

  ServerProcess& server() { return server_; }
  // Of what clients reach.
  int port() const { return proxy_.has_value() ? proxy_->port() : server_.grpc_port(); }

 private:
  static std::vector<std::string> Arguments() {
    if (!HasProxy()) return {};
    return {"--max_connections_per_address=4096", "--ban_after_cut=0"};
  }

  ServerProcess server_;
  std::optional<ProxyBefore> proxy_;
};

// Asks one question after the other on one connection.
class HonestClient {
 public:
  explicit HonestClient(const Stand& stand)
      : stub_(v1::QueryService::NewStub(grpc::CreateChannel(
            "127.0.0.1:" + std::to_string(stand.port()), grpc::InsecureChannelCredentials()))) {
    for (int i = 0; i < 2; ++i) {
      auto* const half =
          request_.add_shapes()->mutable_inline_shape()->mutable_box()->mutable_half_extents();
      half->set_x(1);
      half->set_y(1);
      half->set_z(1);
    }
    request_.mutable_batch()->mutable_pairs()->set_count(1);
    for (const double number : {3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}) {
      request_.mutable_batch()->mutable_pairs()->add_poses_b(number);
    }
    request_.mutable_batch()->mutable_detail()->set_distances(true);
  }

  // Whether it was answered, and well.
  bool Ask(std::chrono::milliseconds within) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + within);
    v1::DistanceResponse response;
    const auto began = Clock::now();
    const bool is_answered = stub_->Distance(&context, request_, &response).ok();
    milliseconds_.push_back(
        std::chrono::duration<double, std::milli>(Clock::now() - began).count());
    return is_answered && response.result().distances_size() == 1 &&
           response.result().distances(0) == 1;
  }

  double Percentile99() {
    if (milliseconds_.empty()) return 0;
    std::sort(milliseconds_.begin(), milliseconds_.end());
    return milliseconds_[milliseconds_.size() * 99 / 100];
  }

 private:
  const std::unique_ptr<v1::QueryService::Stub> stub_;
  v1::DistanceRequest request_;
  std::vector<double> milliseconds_;
};

struct Outcome {
  int connections = 0;
  int served = 0;
  int failed = 0;
  double p99_ms = 0;
  double most_bytes = 0;
};

// Burns processor time and nothing else.
int Burn(Clock::time_point end) {
  while (Clock::now() < end) {
  }
  return 0;
}

// How the honest client fares while `trouble` lasts, which says how many connections it made.
Outcome Measure(Stand* stand, const std::function<int(Clock::time_point end)>& trouble) {
  constexpr std::chrono::seconds kPatience(10);
  // Proxies hold every address to so many questions a second.
  const std::chrono::milliseconds pause(Stand::HasProxy() ? 5 : 0);
  Outcome outcome;
  HonestClient client(*stand);
  std::jthread honest([&](const std::stop_token& stopped) {
    while (!stopped.stop_requested()) {
      ++(client.Ask(kPatience) ? outcome.served : outcome.failed);
      std::this_thread::sleep_for(pause);
    }
  });
  std::jthread watcher([&](const std::stop_token& stopped) {
    while (!stopped.stop_requested()) {
      outcome.most_bytes = std::max(outcome.most_bytes, ResidentBytes(stand->server()));
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
  outcome.connections = trouble(Clock::now() + std::chrono::seconds(absl::GetFlag(FLAGS_seconds)));
  honest.request_stop();
  watcher.request_stop();
  honest.join();
  watcher.join();
  outcome.p99_ms = client.Percentile99();
  return outcome;
}

// Of the 99th percentile without an attack.
double Control() {
  Stand stand;
  const Outcome outcome = Measure(&stand, Burn);
  return outcome.p99_ms;
}

// How long until a new client is served; no less than kMostRecovery: too long.
Clock::duration Recovery(const Stand& stand) {
  const auto began = Clock::now();
  while (Clock::now() - began < kMostRecovery) {
    if (HonestClient(stand).Ask(kMostRecovery)) break;
  }
  return Clock::now() - began;
}

double CutBy(const ServerProcess& server) {
  double cut = 0;
  for (const char* const reason : {"streams", "resets", "flood"}) {
    cut +=
        MetricOf(server, std::string("clearance_connections_cut_total{reason=\"") + reason + "\"}");
  }
  return cut;
}

// What is wrong; "" where the server bore it.
std::string FaultOf(const Attack& attack, const Outcome& outcome, Clock::duration recovery,
                    double ratio) {
  if (recovery >= kMostRecovery) return "DOES NOT SERVE";
  if (outcome.most_bytes >= kMaxBytes) return "TOO MUCH MEMORY";
  if (!attack.is_cured && !Stand::HasProxy()) return "";
  if (outcome.failed > 0) return "HONEST QUESTIONS FAILED";
  if (ratio > absl::GetFlag(FLAGS_max_p99_ratio)) return "SLOW";
  return "";
}

// Whether the server bore it.
bool Try(const Attack& attack, double* slowest_recovery_ms) {
  const double control_ms = Control();
  Stand stand;
  ServerProcess& server = stand.server();
  const double cpu_before = MetricOf(server, "process_cpu_seconds_total");
  const Outcome outcome =
      Measure(&stand, [&](Clock::time_point end) { return attack.run(stand.port(), end); });
  const Clock::duration recovery = Recovery(stand);
  const double recovery_ms = std::chrono::duration<double, std::milli>(recovery).count();
  const double cpu = MetricOf(server, "process_cpu_seconds_total") - cpu_before;
  const double ratio = outcome.p99_ms / control_ms;
  std::string fault = FaultOf(attack, outcome, recovery, ratio);
  const double cut = CutBy(server);
  server.process().Signal(SIGTERM);
  if (server.process().WaitForExit() != 0) fault += " DID NOT END WELL";
  std::printf("%-28s %8d %6.0f %7.1f %7.0f %8d %6d %8.2f %8.2f %6.1f %9.0f  %s%s\n", attack.name,
              outcome.connections, cut, cpu, outcome.most_bytes / 1e6, outcome.served,
              outcome.failed, control_ms, outcome.p99_ms, ratio, recovery_ms,
              attack.is_cured ? "" : "(proxy) ", fault.empty() ? "serves" : fault.c_str());
  std::fflush(stdout);
  *slowest_recovery_ms = std::max(*slowest_recovery_ms, recovery_ms);
  return fault.empty();
}

int Main() {
  PinTo(0, 0);
  std::printf("%-28s %8s %6s %7s %7s %8s %6s %8s %8s %6s %9s\n", "attack", "connects", "cut",
              "CPU s", "most MB", "served", "failed", "ctrl p99", "p99 ms", "ratio", "again ms");
  Result result = {.kind = "attack"};
  for (const Attack& attack : Attacks()) {
    if (!absl::StrContains(attack.name, absl::GetFlag(FLAGS_only))) continue;
    if (!Try(attack, &result.slowest_ready_ms)) ++result.wrong;
  }
  PrintResult(result);
  return result.wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace clearance::test

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return clearance::test::Main();
}
