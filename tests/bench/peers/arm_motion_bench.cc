// SPDX-License-Identifier: Apache-2.0
//
// Straight paths of an arm among obstacles, as motion planners ask for them. clearance-server and
// its client's certificate (ProofJudge of client/examples/ompl) prove them free from end to end.
// The other judges ask for states every 1/32 radian, which prove nothing between them: at the
// server, and in FCL's managers in the process. All three are asked the same paths one after
// another, one at a time. Processor time is that of all participants: of the server, the wire
// included, and of the caller with its forward kinematics.
//
// All are compared with the core in this process. The server's verdict by states must be that of
// the same states here. If a path was proved, every one of four times as many states must be free.
// FCL's are compared with that.
//
//   arm_motion_bench [--short] [--csv=FILE]
//
// Needs the data sets (CLEARANCE_DATA); without them it says so, and measures nothing.

#include <time.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "clearance/client.h"
#include "client/examples/ompl/data_files.h"
#include "client/examples/ompl/fcl_cell.h"
#include "client/examples/ompl/fcl_judge.h"
#include "client/examples/ompl/service_cell.h"
#include "client/examples/ompl/service_judges.h"
#include "core/scene/scene_query.h"
#include "tests/bench/load/target.h"
#include "tests/bench/report.h"
#include "tests/support/arm.h"
#include "tests/support/skip.h"

ABSL_FLAG(bool, short, false, "A few ways, hardly timed: checks the verdicts only.");
ABSL_FLAG(std::string, csv, "", "Where to write every figure; empty: nowhere.");

namespace clearance::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRounds = 3;
constexpr std::size_t kShortProblems = 10;
// The parts of the whole path from start to goal: it, its halves, its quarters and its eighths.
constexpr std::size_t kParts[] = {1, 2, 4, 8};
// How many states of a proved path are checked, for one that the others ask.
constexpr std::size_t kFiner = 4;

enum JudgeKind : std::size_t { kProved, kStates, kFcl, kJudges };
constexpr std::array<const char*, kJudges> kNames = {"motion/panda/proved", "motion/panda/states",
                                                     "motion/panda/fcl-libccd"};

struct Way {
  plan::JointVector from;  // free
  plan::JointVector to;
  bool are_states_free = false;  // by the core in this process
};

// The cost of one judge in one round, over all paths.
struct Cost {
  double server = 0;   // processor nanoseconds
  double caller = 0;   // processor nanoseconds
  double seconds = 0;  // on the clock
};

// A scene and its arm in this process.
class CoreCell {
 public:
  explicit CoreCell(const plan::Robot& arm)
      : arm_(arm), bodies_(testing::BodiesOf(arm)), rules_(testing::RulesOf(arm)) {}

  void Load(const std::vector<plan::Obstacle>& obstacles) {
    scene_ = testing::MakeScene(obstacles);
  }

  bool AreFree(const std::vector<plan::JointVector>& rows) {
    std::vector<Pose> poses;
    for (const plan::JointVector& row : rows) {
      const std::vector<Pose> of_row = testing::ToCore(arm_.BodyPosesAt(row));
      poses.insert(poses.end(), of_row.begin(), of_row.end());
    }
    std::vector<CheckAnswer> answers(rows.size());
    const SceneQuery query = {.scene = *scene_, .bodies = bodies_, .rules = &rules_};
    CheckConfigurations({query, poses}, {}, absl::MakeSpan(answers), &scratch_);
    return std::all_of(answers.begin(), answers.end(),
                       [](const CheckAnswer& answer) { return answer.verdict == Verdict::kFree; });
  }

  // Returns whether so many states on the path are free, its end the last of them.
  bool AreStatesFree(const Way& way, std::size_t count) {
    std::vector<plan::JointVector> rows;
    for (std::size_t i = 1; i <= count; ++i) {
      const double t = static_cast<double>(i) / static_cast<double>(count);
      rows.push_back(plan::Between(way.from, way.to, t));
    }
    return AreFree(rows);
  }

 private:
  const plan::Robot& arm_;
  const std::vector<SceneBody> bodies_;
  const PairRules rules_;
  ScenePtr scene_;
  SceneScratch scratch_;
};

class Bench {
 public:
  Bench(const fs::path& data, bool is_short)
      : scenes_(data / "scenes_mbm_panda"),
        arm_(plan::ReadRobot(data / "robot_panda", scenes_).value()),
        rounds_(is_short ? 1 : kRounds) {
    problems_ = plan::ReadProblems(scenes_).value();
    if (is_short) problems_.resize(kShortProblems);
  }

  void Run(Report* report) {
    BenchServer server;
    if (clock_getcpuclockid(server.pid(), &server_clock_) != 0) Fail("the server is gone");
    {
      const client::Client client = client::Client::Connect(server.address()).value();
      service_ = plan::ServiceCell::Make(client, arm_, "bench").value();
      for (const plan::Problem& problem : problems_) AskAll(problem);
      service_.reset();
    }
    server.End();
    if (free_[kProved] == 0 || free_[kStates] == ways_) Fail("the ways say nothing");
    std::printf("arm: %zu ways in %zu scenes, %zu proved to be free: each is in the process\n",
                ways_, problems_.size(), free_[kProved]);
    AddTo(report);
  }

 private:
  void AskAll(const plan::Problem& problem) {
    core_.Load(problem.obstacles);
    const std::vector<Way> ways = WaysOf(problem);
    if (ways.empty()) return;
    if (!service_->Load(problem.obstacles).ok()) Fail("a scene was not made");
    fcl_.Load(problem.obstacles);
    ways_ += ways.size();
    for (std::size_t round = 0; round < rounds_.size(); ++round) {
      for (std::size_t kind = 0; kind < kJudges; ++kind) {
        const std::vector<bool> verdicts = Ask(kind, ways, &rounds_[round][kind]);
        Check(kind, ways, verdicts);
        if (round == 0) Count(kind, ways, verdicts);
      }
    }
  }

  // Returns the paths whose beginning is free, as that of a planner's paths is.
  std::vector<Way> WaysOf(const plan::Problem& problem) {
    const plan::JointVector start = arm_.JointsOf(problem.start);
    const plan::JointVector goal = arm_.JointsOf(problem.goal);
    std::vector<Way> ways;
    for (const std::size_t parts : kParts) {
      const auto at = [&](std::size_t i) {
        return plan::Between(start, goal, static_cast<double>(i) / static_cast<double>(parts));
      };
      for (std::size_t i = 0; i < parts; ++i) {
        Way way = {at(i), at(i + 1)};
        if (!core_.AreFree({way.from})) continue;
        way.are_states_free = core_.AreStatesFree(way, plan::StateCount(way.from, way.to));
        ways.push_back(std::move(way));
      }
    }
    return ways;
  }

  std::unique_ptr<plan::Judge> MakeJudge(std::size_t kind) {
    if (kind == kFcl) return std::make_unique<plan::FclJudge>(&fcl_);
    if (kind == kStates) return std::make_unique<plan::StatesJudge>(service_.get());
    return std::make_unique<plan::ProofJudge>(arm_, service_.get());
  }

  // Asks one judge a path, which knows the beginning, as it would from the path before, and nothing
  // else.
  std::vector<bool> Ask(std::size_t kind, const std::vector<Way>& ways, Cost* cost) {
    std::vector<std::unique_ptr<plan::Judge>> judges;
    for (const Way& way : ways) {
      judges.push_back(MakeJudge(kind));
      judges.back()->IsFree(way.from);
      configurations_[kind] -= static_cast<double>(judges.back()->counts().checks);
    }
    std::vector<bool> verdicts;
    const double server_before = Nanoseconds(server_clock_);
    const double caller_before = Nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    const absl::Time began = absl::Now();
    for (std::size_t i = 0; i < ways.size(); ++i) {
      verdicts.push_back(judges[i]->IsFreeBetween(ways[i].from, ways[i].to));
    }
    cost->seconds += absl::ToDoubleSeconds(absl::Now() - began);
    cost->caller += Nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - caller_before;
    if (kind != kFcl) cost->server += Nanoseconds(server_clock_) - server_before;
    for (const auto& judge : judges) {
      if (!judge->status().ok()) Fail(judge->status().ToString());
      configurations_[kind] += static_cast<double>(judge->counts().checks);
    }
    return verdicts;
  }

  void Check(std::size_t kind, const std::vector<Way>& ways, const std::vector<bool>& verdicts) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      if (kind == kStates && verdicts[i] != ways[i].are_states_free) {
        Fail("a verdict by states is not the core's");
      }
      if (kind == kProved && verdicts[i] && !IsFreeFinely(ways[i])) {
        Fail("a way that was proved is not free");
      }
    }
  }

  bool IsFreeFinely(const Way& way) {
    return core_.AreStatesFree(way, kFiner * plan::StateCount(way.from, way.to));
  }

  void Count(std::size_t kind, const std::vector<Way>& ways, const std::vector<bool>& verdicts) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      free_[kind] += verdicts[i] ? 1 : 0;
      differ_[kind] += verdicts[i] != ways[i].are_states_free ? 1 : 0;
    }
  }

  void AddTo(Report* report) const {
    const auto ways = static_cast<double>(ways_);
    for (std::size_t kind = 0; kind < kJudges; ++kind) {
      const std::string name = kNames[kind];
      for (const auto& round : rounds_) {
        const Cost& cost = round[kind];
        report->Add(name, "ways_per_second", ways / cost.seconds);
        report->Add(name, "ways_per_second_and_core", 1e9 * ways / (cost.server + cost.caller));
        report->Add(name, "server_cpu_us_per_way", cost.server / ways / 1e3);
        report->Add(name, "caller_cpu_us_per_way", cost.caller / ways / 1e3);
      }
      const double asked = ways * static_cast<double>(rounds_.size());
      report->Add(name, "configurations_per_way", configurations_[kind] / asked);
      report->Add(name, "free", static_cast<double>(free_[kind]));
      report->Add(name, "not_free", ways - static_cast<double>(free_[kind]));
      report->Add(name, "other_than_states", static_cast<double>(differ_[kind]));
    }
  }

  const fs::path scenes_;
  const plan::Robot arm_;
  std::vector<plan::Problem> problems_;
  std::vector<std::array<Cost, kJudges>> rounds_;
  clockid_t server_clock_ = {};
  CoreCell core_{arm_};
  std::unique_ptr<plan::ServiceCell> service_;
  plan::FclCell fcl_{arm_, plan::FclCell::Solver::kLibccd};
  std::size_t ways_ = 0;
  // For each judge.
  std::array<std::size_t, kJudges> free_ = {};
  std::array<std::size_t, kJudges> differ_ = {};  // from the states by the core
  std::array<double, kJudges> configurations_ = {};
};

void PrintTable(const Report& report) {
  std::printf("%-26s%8s%10s%12s%10s%10s%20s%12s%12s\n", "medians of rounds", "free", "not free",
              "configs/way", "differs", "ways/s", "a second and core", "server us", "caller us");
  for (const char* name : kNames) {
    const auto value = [&](const char* metric) { return report.Median(name, metric); };
    std::printf("%-26s%8.0f%10.0f%12.1f%10.0f%10.0f%20.0f%12.1f%12.1f\n", name, value("free"),
                value("not_free"), value("configurations_per_way"), value("other_than_states"),
                value("ways_per_second"), value("ways_per_second_and_core"),
                value("server_cpu_us_per_way"), value("caller_cpu_us_per_way"));
  }
  std::printf(
      "differs: from the states in the process; ways with nothing proved free are none that "
      "collide\n");
}

int Main() {
  const fs::path data = CLEARANCE_DATA;
  if (!fs::is_directory(data / "scenes_mbm_panda")) {
    std::printf("%s\n", test::kNoDataSets);
    return 0;
  }
  const bool is_short = absl::GetFlag(FLAGS_short);
  Report report;
  Bench(data, is_short).Run(&report);
  if (is_short) return 0;
  PrintTable(report);
  WriteCsv(report, absl::GetFlag(FLAGS_csv));
  return 0;
}

}  // namespace
}  // namespace clearance::bench

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return clearance::bench::RunBench("arm_motion_bench", clearance::bench::Main);
}
