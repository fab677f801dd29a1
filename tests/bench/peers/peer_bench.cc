// SPDX-License-Identifier: Apache-2.0
//
// Nanoseconds of one query, one thread, of this project's core beside the libraries for the same
// purpose that Debian has. All answer the same pairs in one process, in turns; every answer of each
// is judged. A wrong answer of ours fails the run; those of the others are counted.
//
//   peer_bench [--short] [--csv=FILE] [--filter=REGEX]

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "tests/bench/peers/peer.h"
#include "tests/bench/peers/tables.h"
#include "tests/bench/peers/truth.h"
#include "tests/bench/report.h"
#include "tests/bench/workload.h"

ABSL_FLAG(bool, short, false, "Few pairs, not timed: checks the answers only.");
ABSL_FLAG(std::string, csv, "", "Where to write every figure; empty: nowhere.");
ABSL_FLAG(std::string, filter, "", "Only cells like distance/near/64 that this regex finds.");

namespace clearance::bench {
namespace {

constexpr int kRepetitions = 5;
constexpr double kNanosecondsARepetition = 1e7;
constexpr unsigned kMostSeconds = 30;  // of all questions of a cell, once
constexpr int kShortPairs = 12;
constexpr int kShortShapes = 4;
// Tracks need steps to be coherent.
constexpr int kLeastCoherentPairs = 1000;
constexpr int kShortCoherentPairs = 200;

Peers MakePeers() {
  Peers peers;
  peers.push_back(MakeOurs());
  peers.push_back(MakeOursWarm());
  peers.push_back(MakeOursBatch());
  peers.push_back(MakeBullet());
  peers.push_back(MakeFcl(FclSolver::kLibccd));
  peers.push_back(MakeFcl(FclSolver::kIndep));
  peers.push_back(MakeCcd(CcdAlgorithm::kGjk));
  peers.push_back(MakeCcd(CcdAlgorithm::kMpr));
  return peers;
}

double CpuNanoseconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

// Returns how a process ends that asks a library everything it was prepared for; "" if it ends
// well. Libraries are known to abort and to run forever, which must not end the benchmark.
std::string FindBadEnd(Peer* peer, std::vector<double>* answers) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(kMostSeconds);
    // Their output about it does not matter.
    if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
    peer->Answer(answers);
    _exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return "not tried";
  if (WIFSIGNALED(status)) return strsignal(WTERMSIG(status));
  return status == 0 ? "" : "ended with status " + std::to_string(WEXITSTATUS(status));
}

// A library and its part in the cell that is being measured.
struct Entrant {
  Peer* peer;
  std::string name;
  int passes = 1;  // a repetition
};

// All questions, as often as the entrant's passes say.
double TimeOf(const Entrant& entrant, std::vector<double>* answers) {
  const double start = CpuNanoseconds();
  for (int pass = 0; pass < entrant.passes; ++pass) entrant.peer->Answer(answers);
  return CpuNanoseconds() - start;
}

// Asks all once, judges, and settles the passes; false if one of ours is wrong.
bool Judge(Kind kind, const Truths& truths, Entrant* entrant, Report* report) {
  std::vector<double> answers(truths.of.size());
  const double passes = kNanosecondsARepetition / TimeOf(*entrant, &answers);
  entrant->passes = std::max(1, static_cast<int>(passes));
  const bool is_ours = entrant->peer->traits().is_ours;
  const std::size_t wrong =
      CountWrong(truths.of, answers, is_ours ? OwnTolerance(kind) : ToleranceOfPeers(kind));
  report->Add(entrant->name, kWrong,
              100 * static_cast<double>(wrong) / static_cast<double>(answers.size()));
  if (is_ours && wrong > 0) std::printf("%s: WRONG: %zu answers\n", entrant->name.c_str(), wrong);
  return !is_ours || wrong == 0;
}

// The entrants take turns, and another one begins each time, so that drifts of the machine fall on
// all alike.
void Time(std::vector<Entrant> entrants, std::size_t questions, Report* report) {
  std::vector<double> answers(questions);
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    for (const Entrant& entrant : entrants) {
      const double asked = static_cast<double>(questions) * entrant.passes;
      report->Add(entrant.name, kTime, TimeOf(entrant, &answers) / asked);
    }
    std::rotate(entrants.begin(), entrants.begin() + 1, entrants.end());
  }
}

class Bench {
 public:
  bool Run() {
    const std::string filter = absl::GetFlag(FLAGS_filter);
    const std::regex wanted(filter);
    for (const Size& size : kSizes) {
      std::vector<Topic> topics;
      std::copy_if(
          kTopics.begin(), kTopics.end(), std::back_inserter(topics),
          [&](const Topic& topic) { return std::regex_search(CellName(topic, size), wanted); });
      if (!topics.empty()) RunSize(size, topics);
    }
    return Finish();
  }

 private:
  void RunSize(const Size& size, const std::vector<Topic>& topics) {
    testing::Random random = RandomOf(size);
    const Pool pool = MakePool(size, is_short_ ? kShortShapes : size.shapes, random);
    for (const auto& peer : peers_) peer->Load(pool);
    for (const Topic& topic : topics) RunCell(pool, size, topic);
  }

  int PairsOf(const Size& size, Regime regime) const {
    if (regime != Regime::kCoherent) return is_short_ ? kShortPairs : size.pairs;
    return is_short_ ? kShortCoherentPairs : std::max(size.pairs, kLeastCoherentPairs);
  }

  void RunCell(const Pool& pool, const Size& size, const Topic& topic) {
    testing::Random random = RandomOf(size, topic.regime);
    const std::vector<Pair> pairs =
        MakePairs(pool, topic.regime, PairsOf(size, topic.regime), random);
    std::vector<Motion> approaches;
    for (const Pair& pair : pairs) approaches.push_back(MakeApproach(pair, random));
    const Questions questions = {topic.kind, pool, pairs, approaches, TracksOf(pairs.size())};
    const Truths truths =
        ProveTruths(questions, topic.regime, static_cast<std::size_t>(SampleOf(size)));
    if (!truths.fault.empty()) {
      std::printf("%s: WRONG: %s\n", CellName(topic, size).c_str(), truths.fault.c_str());
      has_failed_ = true;
      return;
    }
    std::vector<Entrant> entrants = Enter(questions, topic, size);
    for (Entrant& entrant : entrants) {
      if (!Judge(topic.kind, truths, &entrant, &report_)) has_failed_ = true;
    }
    if (!is_short_) Time(std::move(entrants), pairs.size(), &report_);
  }

  // Those that answer this kind and survive it.
  std::vector<Entrant> Enter(const Questions& questions, const Topic& topic, const Size& size) {
    std::vector<Entrant> entrants;
    std::vector<double> answers(questions.pairs.size());
    for (const auto& peer : peers_) {
      if (!peer->Answers(topic.kind)) continue;
      const std::string name = EntryName(topic, size, *peer);
      peer->Prepare(questions);
      const std::string end = peer->traits().is_ours ? "" : FindBadEnd(peer.get(), &answers);
      if (end.empty()) {
        entrants.push_back({peer.get(), name});
      } else {
        std::printf("%s: left out: %s\n", name.c_str(), end.c_str());
      }
    }
    return entrants;
  }

  bool Finish() {
    for (const auto& peer : peers_) {
      std::printf("%-12s %s\n", peer->traits().name.c_str(), peer->traits().note.c_str());
    }
    if (is_short_) {
      PrintWrong(report_, peers_);
    } else {
      AddSpeedups(peers_, &report_);
      PrintTimes(report_, peers_);
      PrintSummary(report_, peers_);
    }
    const std::string csv = absl::GetFlag(FLAGS_csv);
    if (!csv.empty() && !report_.WriteCsv(csv)) {
      std::fprintf(stderr, "cannot write %s\n", csv.c_str());
      return false;
    }
    if (has_failed_) std::fprintf(stderr, "peer_bench: wrong answers of ours\n");
    return !has_failed_;
  }

  const bool is_short_ = absl::GetFlag(FLAGS_short);
  Peers peers_ = MakePeers();
  Report report_;
  bool has_failed_ = false;
};

}  // namespace
}  // namespace clearance::bench

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return clearance::bench::Bench().Run() ? 0 : 1;
}
