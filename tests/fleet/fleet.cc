// SPDX-License-Identifier: Apache-2.0
//
// Three members of etcd and three servers, callers that change names and ask in sessions, and one
// process after another killed or stopped under them. Ends with what the callers noticed; fails
// where something was lost, wrong or there twice, or somebody waited too long.

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "tests/fleet/loads.h"
#include "tests/fleet/sites.h"
#include "tests/integration/etcd/etcd_cluster.h"
#include "tests/integration/process/server_process.h"
#include "tests/support/raw_http.h"

ABSL_FLAG(int, kills, 100, "Processes that are harmed, one after another.");
ABSL_FLAG(int, trials, 10'000, "Changes with a look at another server, at least.");
ABSL_FLAG(double, longest_gap, 3, "Seconds that a caller may be without an answer.");
ABSL_FLAG(std::uint64_t, seed, 1, "Of what is changed and who is harmed.");

namespace clearance::fleet {
namespace {

constexpr std::size_t kMembers = 3;
constexpr std::size_t kServers = 3;
constexpr std::size_t kWriters = 3;
constexpr std::size_t kSessions = 3;
constexpr int kSkipped = 77;

// Between two harms, and how long a process is stopped: longer than an election.
constexpr std::chrono::milliseconds kRest{500};
constexpr std::chrono::milliseconds kStop{2000};

class Fleet {
 public:
  Fleet() : etcd_(static_cast<int>(kMembers)), servers_(kServers), sites_(kServers) {
    for (std::size_t i = 0; i < kServers; ++i) StartServer(i);
  }

  Sites* sites() { return &sites_; }

  // In which so many of all commits of others were applied by the servers that live, once they knew
  // of them: the border of the metric's bucket, seconds.
  double LagOf(double share) const {
    std::map<double, double> below;
    for (const auto& server : servers_) AddLags(server->http_port(), &below);
    if (below.empty()) return 0;
    const double wanted = share * below.rbegin()->second;
    return std::ranges::find_if(below, [&](const auto& bucket) { return bucket.second >= wanted; })
        ->first;
  }

  // Harms one process, and has it back in full before it returns. What was done.
  const char* Harm(int number) {
    const auto index = static_cast<std::size_t>(number / 4) % kMembers;
    switch (number % 4) {
      case 0:
        servers_[index]->process().Signal(SIGKILL);
        servers_[index]->process().WaitForExit();
        std::this_thread::sleep_for(kRest);
        StartServer(index);
        return "kill -9 of a server";
      case 1:
        etcd_.Kill(index);
        std::this_thread::sleep_for(kRest);
        etcd_.Start(index);
        etcd_.AwaitQuorum();
        return "kill -9 of a member";
      case 2:
        etcd_.Signal(index, SIGSTOP);
        std::this_thread::sleep_for(kStop);
        etcd_.Signal(index, SIGCONT);
        etcd_.AwaitQuorum();
        return "a silent member";
      default:
        servers_[index]->process().Signal(SIGKILL);
        servers_[index]->process().WaitForExit();
        etcd_.Kill(index);
        std::this_thread::sleep_for(kRest);
        etcd_.Start(index);
        StartServer(index);
        etcd_.AwaitQuorum();
        return "kill -9 of both";
    }
  }

 private:
  static void AddLags(int http_port, std::map<double, double>* below) {
    constexpr std::string_view kBucket = "clearance_store_watch_lag_seconds_bucket{le=\"";
    std::istringstream page(test::HttpGet(http_port, "/metrics"));
    for (std::string line; std::getline(page, line);) {
      if (!line.starts_with(kBucket)) continue;
      char* end = nullptr;
      const double border = std::strtod(line.data() + kBucket.size(), &end);
      (*below)[border] += std::strtod(line.data() + line.rfind(' '), &end);
    }
  }

  void StartServer(std::size_t index) {
    servers_[index] =
        std::make_unique<test::ServerProcess>(std::vector<std::string>{etcd_.StoreFlag()});
    sites_.Set(index, servers_[index]->grpc_address());
  }

  test::EtcdCluster etcd_;
  std::vector<std::unique_ptr<test::ServerProcess>> servers_;
  Sites sites_;
};

bool RegisterSteady(Sites* sites) {
  v1::RegisterShapeRequest request;
  request.set_name(kSteadyName);
  request.mutable_shape()->mutable_sphere()->set_radius(1);
  v1::RegisterShapeResponse response;
  grpc::ClientContext context;
  return sites->Get(0)->shapes->RegisterShape(&context, request, &response).ok();
}

void CountTwice(const std::vector<Writer>& writers, Findings* findings) {
  std::set<std::uint64_t> all;
  for (const Writer& writer : writers) {
    for (const std::uint64_t revision : writer.revisions()) {
      if (!all.insert(revision).second) findings->Add(&findings->twice);
    }
  }
}

int Report(Findings* findings) {
  const Findings::Gaps gaps = findings->gaps();
  std::printf(
      "acknowledged changes %zu, looked at elsewhere %zu, answers in sessions %zu\n"
      "lost %zu, wrong or stale %zu, twice %zu\n"
      "gaps %zu, middle %.3f s, longest %.3f s\n",
      findings->acknowledged, findings->looked, findings->answered, findings->lost, findings->wrong,
      findings->twice, gaps.count, gaps.middle, gaps.longest);
  const bool is_clean = findings->lost + findings->wrong + findings->twice == 0;
  return is_clean && gaps.longest <= absl::GetFlag(FLAGS_longest_gap) ? 0 : 1;
}

int Run() {
  if (!test::EtcdCluster::IsInstalled()) {
    std::printf("skipped: etcd is not installed\n");
    return kSkipped;
  }
  const std::uint64_t seed = absl::GetFlag(FLAGS_seed);
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Fleet fleet;
  if (!RegisterSteady(fleet.sites())) return 1;
  Findings findings;
  std::atomic<bool> is_over = false;
  std::atomic<bool> is_harmed = true;
  std::vector<Writer> writers;
  for (std::size_t i = 0; i < kWriters; ++i)
    writers.emplace_back(i, seed * kWriters + i, fleet.sites(), &findings);
  const auto least = static_cast<std::size_t>(absl::GetFlag(FLAGS_trials)) / kWriters;
  std::vector<std::thread> threads;
  for (Writer& writer : writers) {
    threads.emplace_back([&writer, &is_harmed, least] {
      for (std::size_t steps = 0; is_harmed || steps < least; ++steps) writer.Step();
    });
  }
  std::vector<std::thread> sessions;
  for (std::size_t i = 0; i < kSessions; ++i)
    sessions.emplace_back([&, i] { KeepAsking(i, is_over, fleet.sites(), &findings); });
  for (int i = 0; i < absl::GetFlag(FLAGS_kills); ++i) {
    std::this_thread::sleep_for(kRest);
    const char* const what = fleet.Harm(i);
    std::printf("%d: %s\n", i + 1, what);
    std::fflush(stdout);
  }
  is_harmed = false;
  for (std::thread& thread : threads) thread.join();
  is_over = true;
  for (std::thread& session : sessions) session.join();
  for (Writer& writer : writers) {
    for (std::size_t i = 0; i < kServers; ++i) writer.Verify(*fleet.sites()->Get(i));
  }
  CountTwice(writers, &findings);
  constexpr double kNearlyAll = 0.99;
  std::printf("99 %% of commits applied within %.3f s\n", fleet.LagOf(kNearlyAll));
  return Report(&findings);
}

}  // namespace
}  // namespace clearance::fleet

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return clearance::fleet::Run();
}
