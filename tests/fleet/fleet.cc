// SPDX-License-Identifier: Apache-2.0
//
// Three members of etcd and three servers, callers that change names and ask in sessions, those of
// the client library among them, and one process after another killed, stopped or cut off under
// them; then rolling restarts, and what a query costs. Ends with what the callers noticed; fails
// where something was lost, wrong or there twice, somebody waited too long, or a call failed while
// servers were restarted in turn.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "tests/fleet/calm.h"
#include "tests/fleet/library_load.h"
#include "tests/fleet/loads.h"
#include "tests/fleet/processes.h"
#include "tests/fleet/sites.h"
#include "tests/support/optional_program.h"
#include "tests/support/skip.h"

ABSL_FLAG(int, kills, 100, "Kills with SIGKILL, one after another.");
ABSL_FLAG(int, others, 60,
          "Harms beside them that kill nothing: processes stopped, cut off, parted.");
ABSL_FLAG(std::string, only, "",
          "The kind of harm that is done, as the table names it; empty: all.");
ABSL_FLAG(int, trials, 10'000, "Changes with a look at every other server, at least.");
ABSL_FLAG(int, rounds, 10, "Rolling restarts of all servers.");
ABSL_FLAG(int, messages, 1200, "Of 256 rows, for each measurement of what a query costs; 0: none.");
ABSL_FLAG(double, most_ratio, 1.1, "That a query may cost with several servers and with one.");
ABSL_FLAG(double, longest_gap, 3, "Seconds that a caller may be without an answer.");
ABSL_FLAG(std::uint64_t, seed, 1, "Of what is changed and who is harmed.");

namespace clearance::fleet {
namespace {

constexpr std::size_t kWriters = 3;
constexpr std::size_t kSessions = 3;
constexpr std::size_t kLibrarySessions = 2;

// Between two harms.
constexpr std::chrono::milliseconds kRest{500};

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

void Print(const char* what, const Times& times) {
  std::printf("%s: %zu, p50 %.4f s, p99 %.4f s, longest %.4f s\n", what, times.count, times.middle,
              times.nearly_all, times.longest);
}

// Whether it is as it must be.
bool Report(Findings* findings) {
  std::printf(
      "acknowledged changes %zu, looked at on every other server at once %zu (looks %zu)\n"
      "answers in sessions %zu, in sessions of the client library %zu\n"
      "lost %zu, wrong or stale %zu, twice %zu\n",
      findings->acknowledged, findings->seen, findings->looked, findings->answered,
      findings->answered_to_library, findings->lost, findings->wrong, findings->twice);
  Print("from the acknowledgement to the answer of another server that knows", findings->lags());
  const Times gaps = findings->gaps.times();
  Print("gaps of those who asked again or waited above 0.1 s", gaps);
  findings->gaps.PrintByHarm();
  findings->gaps.PrintAbove(absl::GetFlag(FLAGS_longest_gap));
  const bool is_clean = findings->lost + findings->wrong + findings->twice == 0;
  const bool is_whole = findings->seen >= static_cast<std::size_t>(absl::GetFlag(FLAGS_trials)) &&
                        findings->answered_to_library > 0;
  return is_clean && is_whole && gaps.longest <= absl::GetFlag(FLAGS_longest_gap);
}

// Those of a list that are to be done.
class Turns {
 public:
  Turns(std::vector<Processes::Harm> kinds, int wanted)
      : kinds_(std::move(kinds)), wanted_(static_cast<std::size_t>(wanted)) {
    const std::string only = absl::GetFlag(FLAGS_only);
    if (!only.empty())
      std::erase_if(kinds_, [&](const Processes::Harm& harm) { return harm.kind != only; });
    if (kinds_.empty()) wanted_ = 0;
  }

  std::size_t done() const { return done_; }
  bool is_left() const { return done_ < wanted_; }
  double share() const { return static_cast<double>(done_) / static_cast<double>(wanted_); }
  // The kinds take turns, each of one process after another.
  void DoNext(Processes* processes, Gaps* gaps) {
    const Processes::Harm& harm = kinds_[done_ % kinds_.size()];
    gaps->BeginHarm(harm.kind);
    processes->Do(harm, done_ / kinds_.size() % Processes::kServers);
    ++done_;
    std::printf("%s\n", harm.kind);
    std::fflush(stdout);
  }

 private:
  std::vector<Processes::Harm> kinds_;
  std::size_t wanted_;
  std::size_t done_ = 0;
};

// The kills and the other harms, one among the other.
void HarmInTurn(Processes* processes, Gaps* gaps) {
  Turns kills(Processes::Kills(), absl::GetFlag(FLAGS_kills));
  Turns others(Processes::Stoppages(), absl::GetFlag(FLAGS_others));
  while (kills.is_left() || others.is_left()) {
    std::this_thread::sleep_for(kRest);
    const bool kills_next =
        !others.is_left() || (kills.is_left() && kills.share() <= others.share());
    (kills_next ? kills : others).DoNext(processes, gaps);
  }
  std::printf("kills with SIGKILL %zu, other harms %zu\n", kills.done(), others.done());
}

// Whether callers noticed no more than they may while processes were harmed.
bool Harm(Processes* processes) {
  const std::uint64_t seed = absl::GetFlag(FLAGS_seed);
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Findings findings;
  std::atomic<bool> is_over = false;
  std::atomic<bool> is_harmed = true;
  std::vector<Writer> writers;
  for (std::size_t i = 0; i < kWriters; ++i)
    writers.emplace_back(i, seed * kWriters + i, processes->sites(), &findings);
  const auto trials = static_cast<std::size_t>(absl::GetFlag(FLAGS_trials));
  const std::size_t least = (trials + kWriters - 1) / kWriters;
  std::vector<std::thread> threads;
  for (Writer& writer : writers) {
    threads.emplace_back([&writer, &is_harmed, least] {
      for (std::size_t steps = 0; is_harmed || steps < least; ++steps) writer.Step();
    });
  }
  std::vector<std::thread> sessions;
  for (std::size_t i = 0; i < kSessions; ++i)
    sessions.emplace_back([&, i] { Asker(i, processes->sites(), &findings).Run(is_over); });
  for (std::size_t i = 0; i < kLibrarySessions; ++i)
    sessions.emplace_back([&] { KeepInFlight(processes->addresses(), is_over, &findings); });
  HarmInTurn(processes, &findings.gaps);
  is_harmed = false;
  for (std::thread& thread : threads) thread.join();
  is_over = true;
  for (std::thread& session : sessions) session.join();
  for (Writer& writer : writers) {
    for (std::size_t i = 0; i < Processes::kServers; ++i)
      writer.Verify(*processes->sites()->Get(i));
  }
  CountTwice(writers, &findings);
  Print("from the start of a killed server until it serves", processes->starts());
  return Report(&findings);
}

// Of those that calm.cc and the users of the servers make.
bool HasFailedExpectations() {
  return testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed();
}

// Whether no call failed.
bool Restart(Processes* processes) {
  const int rounds = absl::GetFlag(FLAGS_rounds);
  const std::size_t answers = RestartInTurn(rounds, processes);
  const bool is_well = !HasFailedExpectations();
  std::printf("%d rolling restarts: %zu answers, %s\n", rounds, answers,
              is_well ? "no call failed" : "CALLS FAILED");
  std::fflush(stdout);
  return is_well;
}

double Middle(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Whether a query costs the same however many servers share the questions. The counts take turns,
// so that what else runs on the machine is in all of them.
bool Cost(Processes* processes) {
  const auto messages = static_cast<std::size_t>(absl::GetFlag(FLAGS_messages));
  constexpr int kTurns = 7;
  std::vector<std::vector<double>> costs(Processes::kServers);
  for (int turn = 0; turn < kTurns; ++turn) {
    for (std::size_t servers = 1; servers <= Processes::kServers; ++servers)
      costs[servers - 1].push_back(CostOfQuery(servers, messages, processes));
  }
  bool is_well = true;
  const double of_one = Middle(costs[0]);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const double ratio = Middle(costs[i]) / of_one;
    std::printf("%zu servers: %.0f ns of processor time a query, %.3f times as much as one\n",
                i + 1, ratio * of_one, ratio);
    is_well = is_well && ratio <= absl::GetFlag(FLAGS_most_ratio);
  }
  return is_well;
}

bool IsKindOfHarm(const std::string& name) {
  const auto is_it = [&](const Processes::Harm& harm) { return harm.kind == name; };
  return std::ranges::any_of(Processes::Kills(), is_it) ||
         std::ranges::any_of(Processes::Stoppages(), is_it);
}

int Run() {
  const std::string only = absl::GetFlag(FLAGS_only);
  if (!only.empty() && !IsKindOfHarm(only)) {
    std::fprintf(stderr, "--only=%s: there is no such kind of harm\n", only.c_str());
    return 1;
  }
  const std::string missing = test::MissingReason({"etcd", "etcdctl", "haproxy"});
  if (!missing.empty()) return test::Skip(missing);
  Processes processes;
  if (!RegisterSteady(processes.sites())) {
    std::fprintf(stderr, "FOUND: a fleet that nobody harmed takes no shape\n");
    return 1;
  }
  bool is_well = Harm(&processes);
  RegisterForCalm(&processes);
  if (absl::GetFlag(FLAGS_rounds) > 0) is_well = Restart(&processes) && is_well;
  if (absl::GetFlag(FLAGS_messages) > 0) is_well = Cost(&processes) && is_well;
  if (HasFailedExpectations()) {
    std::fprintf(stderr, "FOUND: failures that are told above\n");
    is_well = false;
  }
  return is_well ? 0 : 1;
}

}  // namespace
}  // namespace clearance::fleet

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  try {
    return clearance::fleet::Run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "FOUND: %s\n", error.what());
    return 1;
  }
}
