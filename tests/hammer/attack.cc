// SPDX-License-Identifier: Apache-2.0
//
// One attack after another on the real program, each for some seconds, while an honest client asks:
//   attack [--seconds=N] [--max_p99_ratio=R] [--behind=PROXY] [--only=TEXT] [--of_proxies]
// Says what each cost the server and how the honest client fared, beside a control run in which
// something else burns the attacker's processor time; behind a proxy of docker/proxy, if told so.
// The server has one core to itself, where there are two, and everybody else the other: there the
// honest client and the proxy, who in truth have machines of their own, are let in first (as root;
// otherwise the times tell how long they waited for the attacker too). Fails if the server ended,
// did not serve within MostRecovery() afterwards, or held more memory than kMaxBytes; if an honest
// question failed (behind a proxy: if it was not answered when repeated), unless that is the
// proxy's to prevent, and there is none; and if the 99th percentile of their times exceeds so many
// times that of the control, unless that takes a proxy, and there is none. Exits with 77 where the
// proxy is not installed.

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
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
#include "tests/hammer/attacks.h"
#include "tests/hammer/honest_client.h"
#include "tests/hammer/proxy_before.h"
#include "tests/hammer/result_line.h"
#include "tests/integration/process/server_process.h"
#include "tests/integration/process/server_view.h"
#include "tests/support/optional_program.h"
#include "tests/support/skip.h"

ABSL_FLAG(int, seconds, 5, "How long each attack lasts, and its control.");
ABSL_FLAG(double, max_p99_ratio, std::numeric_limits<double>::infinity(),
          "How many times as long an honest question may take, in the 99th percentile.");
ABSL_FLAG(std::string, behind, "", "The proxy before the server: haproxy or nginx; empty: none.");
ABSL_FLAG(std::string, only, "", "Only the attacks whose names have this in them.");
ABSL_FLAG(bool, of_proxies, false, "Only the attacks that a proxy must fence.");

namespace clearance::test {
namespace {

using hammer::PrintResult;
using hammer::Result;
using Clock = AttackClock;

constexpr int kUsage = 2;  // the exit status of wrong flags

// Times are judged where the machine is the attack's own; else this only ends what hangs.
bool JudgesTimes() { return std::isfinite(absl::GetFlag(FLAGS_max_p99_ratio)); }
std::chrono::seconds MostWait() { return std::chrono::seconds(JudgesTimes() ? 10 : 60); }
std::chrono::seconds MostRecovery() { return std::chrono::seconds(JudgesTimes() ? 5 : 60); }

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
  explicit Stand(const Attack& attack)
      : honest_(attack.has_policy ? MakeToken("honest") : NewToken{}),
        attacker_(attack.cores > 0 ? MakeToken("attacker") : NewToken{}),
        server_(Arguments(attack)) {
    const std::string tasks = "/proc/" + std::to_string(server_.pid()) + "/task";
    for (const auto& task : std::filesystem::directory_iterator(tasks)) {
      PinTo(std::atoi(task.path().filename().c_str()), 1);
    }
    if (HasProxy()) proxy_.emplace(server_, absl::GetFlag(FLAGS_behind));
  }

  static bool HasProxy() { return !absl::GetFlag(FLAGS_behind).empty(); }

  const std::string& honest_token() const { return honest_.token; }
  Target target() const { return {port(), attacker_.token}; }

  ServerProcess& server() { return server_; }
  const ServerProcess& server() const { return server_; }
  // Of what clients reach.
  int port() const { return proxy_.has_value() ? proxy_->port() : server_.grpc_port(); }

 private:
  std::vector<std::string> Arguments(const Attack& attack) const {
    std::vector<std::string> arguments;
    if (HasProxy()) arguments = {"--max_connections_per_address=4096", "--ban_after_cut=0"};
    if (!attack.has_policy) return arguments;
    const std::string policy = directory_.File("policy"), tokens = directory_.File("tokens");
    std::ofstream(policy) << R"({"principals": {"honest": {"role": "query"},
                                                "attacker": {"role": "query",
                                                             "limits": {"cores": )"
                          << std::max(attack.cores, 0.001) << "}}}}";
    std::ofstream(tokens) << honest_.line << "\n" << attacker_.line << "\n";
    arguments.push_back("--policy_file=" + policy);
    arguments.push_back("--token_file=" + tokens);
    return arguments;
  }

  const TemporaryDirectory directory_;
  const NewToken honest_;
  const NewToken attacker_;
  ServerProcess server_;
  std::optional<ProxyBefore> proxy_;
};

struct Outcome {
  int connections = 0;
  int served = 0;
  int failed = 0;
  double p99_ms = 0;
  double longest_ms = 0;
  double most_bytes = 0;
  double processor_s = 0;  // of the server
  int repeated = 0;
  std::string fault;  // of the last honest call that failed
};

// Burns processor time and nothing else.
int Burn(Clock::time_point end) {
  while (Clock::now() < end) {
  }
  return 0;
}

std::unique_ptr<HonestClient> NewHonestClient(const Stand& stand, const Attack& attack) {
  const bool repeats = Stand::HasProxy();
  if (attack.is_beside_session)
    return std::make_unique<HonestSession>(stand.port(), repeats, stand.honest_token());
  return std::make_unique<HonestClient>(stand.port(), repeats, stand.honest_token());
}

// From outside: under attack a server may have no descriptor left to say it with.
double ResidentBytesOf(pid_t process) {
  std::ifstream statm("/proc/" + std::to_string(process) + "/statm");
  double pages = 0, resident_pages = 0;
  statm >> pages >> resident_pages;
  return resident_pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// The calling thread, where that is allowed.
void LetInFirst() { setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), -20); }

// A quota holds over ten seconds.
constexpr int kSecondsOfQuota = 10;
int SecondsOf(const Attack& attack) {
  return std::max(absl::GetFlag(FLAGS_seconds), attack.cores > 0 ? kSecondsOfQuota : 0);
}

// Between honest questions. Proxies hold every address to so many a second, and where the
// attacker's processor time counts, the honest client's must be next to nothing.
std::chrono::milliseconds PauseOf(const Attack& attack) {
  if (attack.cores > 0) return std::chrono::milliseconds(100);
  return std::chrono::milliseconds(Stand::HasProxy() ? 5 : 0);
}

// How `client` fares while `trouble` lasts, which says how many connections it made.
Outcome Measure(const Attack& attack, const Stand& stand, HonestClient* client,
                const std::function<int(Clock::time_point end)>& trouble) {
  const std::chrono::seconds patience = MostWait();
  const std::chrono::milliseconds pause = PauseOf(attack);
  Outcome outcome;
  // It has its connection before there are too many.
  if (!client->Ask(patience)) ++outcome.failed;
  std::jthread honest([&](const std::stop_token& stopped) {
    LetInFirst();
    while (!stopped.stop_requested()) {
      ++(client->Ask(patience) ? outcome.served : outcome.failed);
      std::this_thread::sleep_for(pause);
    }
  });
  std::jthread watcher([&](const std::stop_token& stopped) {
    while (!stopped.stop_requested()) {
      outcome.most_bytes = std::max(outcome.most_bytes, ResidentBytesOf(stand.server().pid()));
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
  outcome.connections = trouble(Clock::now() + std::chrono::seconds(SecondsOf(attack)));
  honest.request_stop();
  watcher.request_stop();
  honest.join();
  watcher.join();
  outcome.p99_ms = client->Percentile99();
  outcome.longest_ms = client->Longest();
  outcome.repeated = client->repeated();
  outcome.fault = client->fault();
  return outcome;
}

// The 99th percentile without the attack.
double Control(const Attack& attack) {
  const Stand stand(attack);
  return Measure(attack, stand, NewHonestClient(stand, attack).get(), Burn).p99_ms;
}

// From here on the process may open so many files more.
void LeaveDescriptors(pid_t process, std::size_t spare) {
  const std::filesystem::directory_iterator open("/proc/" + std::to_string(process) + "/fd");
  rlimit limit = {};
  prlimit(process, RLIMIT_NOFILE, nullptr, &limit);
  limit.rlim_cur = static_cast<rlim_t>(std::distance(begin(open), end(open))) + spare;
  prlimit(process, RLIMIT_NOFILE, &limit, nullptr);
}

// How long until a new client is served; no less than MostRecovery(): too long.
Clock::duration Recovery(const Stand& stand) {
  const auto began = Clock::now();
  while (Clock::now() - began < MostRecovery()) {
    if (HonestClient(stand.port(), /*repeats=*/false, stand.honest_token()).Ask(MostRecovery()))
      break;
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

bool RanOutOfDescriptors(const ServerProcess& server) {
  return MetricOf(server, "clearance_connections_refused_total{reason=\"descriptors\"}") > 0;
}

// The seconds that the attacker's quota allows, and some for all else that the server does.
double MostProcessorSeconds(const Attack& attack) {
  constexpr double kExcess = 1.2, kElse = 0.03;
  return (kExcess * attack.cores + kElse) * SecondsOf(attack);
}

// What is wrong; "" where the server bore it.
std::string FaultOf(const Attack& attack, const Outcome& outcome, Clock::duration recovery,
                    double ratio) {
  const bool is_fenced = attack.fence != Fence::kProxy || Stand::HasProxy();
  if (outcome.connections == 0) return "DID NOT ATTACK";
  if (recovery >= MostRecovery()) return "DOES NOT SERVE";
  if (outcome.most_bytes >= (is_fenced ? 1 : 2) * attack.most_bytes) return "TOO MUCH MEMORY";
  if (!is_fenced) return "";
  if (attack.cores > 0 && outcome.processor_s > MostProcessorSeconds(attack))
    return "TOO MUCH PROCESSOR TIME";
  if (outcome.failed > 0) return "HONEST QUESTIONS FAILED";
  const bool is_swift = attack.fence == Fence::kServer || Stand::HasProxy();
  if (is_swift && ratio > absl::GetFlag(FLAGS_max_p99_ratio)) return "SLOW";
  return "";
}

// Whether the server bore it.
bool Try(const Attack& attack, double* slowest_recovery_ms) {
  const double control_ms = Control(attack);
  Stand stand(attack);
  ServerProcess& server = stand.server();
  const double cpu_before = MetricOf(server, "process_cpu_seconds_total");
  if (attack.spare_descriptors > 0) LeaveDescriptors(server.pid(), attack.spare_descriptors);
  Outcome outcome = Measure(attack, stand, NewHonestClient(stand, attack).get(),
                            [&](Clock::time_point end) { return attack.run(stand.target(), end); });
  outcome.processor_s = MetricOf(server, "process_cpu_seconds_total") - cpu_before;
  const Clock::duration recovery = Recovery(stand);
  const double recovery_ms = std::chrono::duration<double, std::milli>(recovery).count();
  const double ratio = outcome.p99_ms / control_ms;
  std::string fault = FaultOf(attack, outcome, recovery, ratio);
  const double cut = CutBy(server);
  if (attack.spare_descriptors > 0 && !RanOutOfDescriptors(server)) fault += " HAD DESCRIPTORS";
  server.process().Signal(SIGTERM);
  if (server.process().WaitForExit() != 0) fault += " DID NOT END WELL";
  std::printf("%-28s %8d %6.0f %7.1f %7.0f %8d %6d %8.2f %8.2f %6.1f %8.1f %9.0f  %s%s\n",
              attack.name, outcome.connections, cut, outcome.processor_s, outcome.most_bytes / 1e6,
              outcome.served, outcome.failed, control_ms, outcome.p99_ms, ratio, outcome.longest_ms,
              recovery_ms, attack.fence == Fence::kServer ? "" : "(proxy) ",
              fault.empty() ? "serves" : fault.c_str());
  if (!outcome.fault.empty())
    std::printf("  honest calls repeated: %d, the last fault: %s\n", outcome.repeated,
                outcome.fault.c_str());
  std::fflush(stdout);
  *slowest_recovery_ms = std::max(*slowest_recovery_ms, recovery_ms);
  return fault.empty();
}

// Whether the attack was asked for.
bool IsWanted(const Attack& attack) {
  return absl::StrContains(attack.name, absl::GetFlag(FLAGS_only)) &&
         !(attack.fence == Fence::kServer && absl::GetFlag(FLAGS_of_proxies));
}

int Main() {
  const std::string proxy = absl::GetFlag(FLAGS_behind);
  if (Stand::HasProxy() && proxy != "haproxy" && proxy != "nginx") {
    std::fprintf(stderr, "unknown proxy --behind=%s: must be haproxy or nginx\n", proxy.c_str());
    return kUsage;
  }
  const std::string missing = Stand::HasProxy() ? MissingReason({proxy}) : "";
  if (!missing.empty()) return Skip(missing);
  PinTo(0, 0);
  std::printf("%-28s %8s %6s %7s %7s %8s %6s %8s %8s %6s %8s %9s\n", "attack", "connects", "cut",
              "CPU s", "most MB", "served", "failed", "ctrl p99", "p99 ms", "ratio", "max ms",
              "again ms");
  Result result = {.kind = Stand::HasProxy() ? "proxy" : "attack"};
  for (const Attack& attack : Attacks()) {
    if (!IsWanted(attack)) continue;
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
