// SPDX-License-Identifier: Apache-2.0
//
// Nanoseconds of one query of the core, one thread, by kind, regime and size of the shapes. Before
// a cell is timed all its answers are checked against how its pairs were placed and a sample
// against the exact oracle; one wrong answer fails the run.
//
//   core_bench [--short] [--csv=FILE] [--benchmark_filter=REGEX and google-benchmark's other flags]

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "core/query/distance.h"
#include "core/query/intersection.h"
#include "core/query/time_of_collision.h"
#include "tests/bench/core_check.h"
#include "tests/bench/report.h"
#include "tests/bench/workload.h"

ABSL_FLAG(bool, short, false, "Few pairs, hardly timed: checks the answers only.");
ABSL_FLAG(std::string, csv, "", "Where to write every figure; empty: nowhere.");

namespace clearance::bench {
namespace {

constexpr int kRepetitions = 5;
constexpr double kSecondsARepetition = 0.1;
constexpr int kShortPairs = 12;
constexpr int kShortShapes = 4;

constexpr const char* kTime = "cpu_ns_per_query";
constexpr const char* kIterations = "iterations_per_query";

bool is_short = false;
bool has_failed = false;

const Pool& PoolOf(const Size& size) {
  static std::map<std::string, Pool> pools;
  auto [found, is_new] = pools.try_emplace(size.name);
  if (is_new) {
    testing::Random random = RandomOf(size);
    found->second = MakePool(size, is_short ? kShortShapes : size.shapes, random);
  }
  return found->second;
}

// The questions of one kind in one regime: Ask(i) of each pair, and whether the answers are right.
struct DistanceKind {
  static constexpr const char* kName = "distance";
  const Pool& pool;
  const std::vector<Pair>& pairs;
  Regime regime;

  DistanceAnswer Ask(std::size_t i) const {
    return Distance(pairs[i].PosedA(pool), pairs[i].PosedB(pool), {});
  }
  std::string Fault(std::size_t i) const { return FindFault(pairs[i], regime, Ask(i)); }
  std::string Inexactness(std::size_t i) const { return FindInexactness(pool, pairs[i], Ask(i)); }
};

struct IntersectionKind {
  static constexpr const char* kName = "intersection";
  const Pool& pool;
  const std::vector<Pair>& pairs;
  Regime regime;

  IntersectionAnswer Ask(std::size_t i) const {
    return Intersection(pairs[i].PosedA(pool), pairs[i].PosedB(pool));
  }
  std::string Fault(std::size_t i) const { return FindFault(pairs[i], regime, Ask(i)); }
  std::string Inexactness(std::size_t i) const { return FindInexactness(pool, pairs[i], Ask(i)); }
};

struct TimeOfCollisionKind {
  static constexpr const char* kName = "time_of_collision";
  const Pool& pool;
  const std::vector<Pair>& pairs;
  const std::vector<Motion>& approaches;

  TimeOfCollisionAnswer Ask(std::size_t i) const {
    const Motion still = {.displacement = {}, .rotation = {}, .pivot = pairs[i].X_WB.p_WS};
    return TimeOfCollision({*pool.shapes[pairs[i].a], pairs[i].X_WA, approaches[i]},
                           {*pool.shapes[pairs[i].b], pairs[i].X_WB, still}, {});
  }
  std::string Fault(std::size_t i) const { return FindFault(Ask(i)); }
  std::string Inexactness(std::size_t i) const {
    return FindInexactness(pool, {pairs[i], approaches[i]}, Ask(i));
  }
};

// Everything that one cell asks; kept, because the repetitions of all cells are interleaved.
struct Cell {
  std::vector<Pair> pairs;
  std::vector<Motion> approaches;
  double iterations = 0;  // a query, mean
  std::string fault;
};

template <class Kind>
std::string CheckAnswers(const Kind& kind, std::size_t count, int sample) {
  for (std::size_t i = 0; i < count; ++i) {
    if (std::string fault = kind.Fault(i); !fault.empty()) {
      return fault + " at pair " + std::to_string(i);
    }
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(count, sample); ++i) {
    if (std::string fault = kind.Inexactness(i); !fault.empty()) {
      return fault + " at pair " + std::to_string(i);
    }
  }
  return "";
}

template <class Kind>
double MeanIterations(const Kind& kind, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += kind.Ask(i).iterations;
  return sum / static_cast<double>(count);
}

template <class Kind>
Kind KindOf(const Cell& cell, const Pool& pool, Regime regime) {
  if constexpr (std::is_same_v<Kind, TimeOfCollisionKind>) {
    return {pool, cell.pairs, cell.approaches};
  } else {
    return {pool, cell.pairs, regime};
  }
}

template <class Kind>
std::unique_ptr<Cell> MakeCell(const Size& size, Regime regime) {
  testing::Random random = RandomOf(size, regime);
  auto cell = std::make_unique<Cell>();
  const Pool& pool = PoolOf(size);
  cell->pairs = MakePairs(pool, regime, is_short ? kShortPairs : size.pairs, random);
  for (const Pair& pair : cell->pairs) cell->approaches.push_back(MakeApproach(pair, random));
  const Kind kind = KindOf<Kind>(*cell, pool, regime);
  cell->fault = CheckAnswers(kind, cell->pairs.size(), SampleOf(size));
  cell->iterations = MeanIterations(kind, cell->pairs.size());
  return cell;
}

template <class Kind>
void Register(const Size& size, Regime regime) {
  const std::string name = std::string(Kind::kName) + "/" + Name(regime) + "/" + size.name;
  auto cell = std::make_shared<std::unique_ptr<Cell>>();
  const auto run = [&size, regime, cell](benchmark::State& state) {
    if (*cell == nullptr) *cell = MakeCell<Kind>(size, regime);
    if (!(*cell)->fault.empty()) {
      has_failed = true;
      return state.SkipWithError((*cell)->fault.c_str());
    }
    const Kind kind = KindOf<Kind>(**cell, PoolOf(size), regime);
    const std::size_t count = (*cell)->pairs.size();
    while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(count))) {
      for (std::size_t i = 0; i < count; ++i) benchmark::DoNotOptimize(kind.Ask(i));
    }
    state.counters[kIterations] = (*cell)->iterations;
  };
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->Unit(benchmark::kNanosecond)
      ->MinTime(is_short ? 1e-4 : kSecondsARepetition)
      ->Repetitions(is_short ? 1 : kRepetitions);
}

void RegisterAll() {
  for (const Size& size : kSizes) {
    for (const Regime regime :
         {Regime::kFar, Regime::kNear, Regime::kShallow, Regime::kDeep, Regime::kCoherent}) {
      Register<DistanceKind>(size, regime);
      Register<IntersectionKind>(size, regime);
    }
    Register<TimeOfCollisionKind>(size, Regime::kFar);
    Register<TimeOfCollisionKind>(size, Regime::kNear);
  }
}

// Takes the runs as they come and prints one table of medians at the end.
class TableReporter final : public benchmark::BenchmarkReporter {
 public:
  explicit TableReporter(Report* report) : report_(report) {}

  bool ReportContext(const Context& /*context*/) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      const std::string& name = run.run_name.function_name;
      if (run.error_occurred)
        std::printf("%s: WRONG: %s\n", name.c_str(), run.error_message.c_str());
      if (run.error_occurred || run.run_type != Run::RT_Iteration) continue;
      report_->Add(name, kTime, run.GetAdjustedCPUTime());
      report_->Add(name, kIterations, run.counters.at(kIterations));
      const std::string row = name.substr(0, name.rfind('/'));
      if (std::find(rows_.begin(), rows_.end(), row) == rows_.end()) rows_.push_back(row);
    }
  }

  void Finalize() override {
    std::sort(rows_.begin(), rows_.end());
    PrintTable("CPU ns per query, median", kTime, "%10.0f");
    PrintTable("iterations per query, mean", kIterations, "%10.1f");
  }

 private:
  void PrintTable(const char* title, const char* metric, const char* format) const {
    std::printf("\n%-28s", title);
    for (const Size& size : kSizes) std::printf("%10s", size.name);
    std::printf("\n");
    for (const std::string& row : rows_) {
      std::printf("%-28s", row.c_str());
      for (const Size& size : kSizes)
        std::printf(format, report_->Median(row + "/" + size.name, metric));
      std::printf("\n");
    }
  }

  Report* report_;
  std::vector<std::string> rows_;
};

int Main(int argc, char** argv) {
  // Slow drifts of the machine then fall on all cells alike.
  std::string interleaved = "--benchmark_enable_random_interleaving=true";
  std::vector<char*> arguments(argv, argv + argc);
  arguments.insert(arguments.begin() + 1, interleaved.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  absl::ParseCommandLine(count, arguments.data());
  is_short = absl::GetFlag(FLAGS_short);
  RegisterAll();

  Report report;
  TableReporter reporter(&report);
  if (benchmark::RunSpecifiedBenchmarks(&reporter) == 0) return 1;
  const std::string csv = absl::GetFlag(FLAGS_csv);
  if (!csv.empty() && !report.WriteCsv(csv)) {
    std::fprintf(stderr, "cannot write %s\n", csv.c_str());
    return 1;
  }
  if (has_failed) std::fprintf(stderr, "core_bench: wrong answers\n");
  return has_failed ? 1 : 0;
}

}  // namespace
}  // namespace clearance::bench

int main(int argc, char** argv) { return clearance::bench::Main(argc, argv); }
