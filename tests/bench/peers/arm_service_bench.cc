// SPDX-License-Identifier: Apache-2.0
//
// The costs of two motion planners that ask whether a whole arm among obstacles is free: one asks
// clearance-server over the network, the other has FCL's managers in its process. Both use the same
// hulls, pairs that may touch and configurations, of all problems there are. The server's cost is
// all its processor time until the reply is here, the wire included, read from outside; FCL's is
// that of the thread. Both take turns. Every answer of the server is compared with the core's in
// this process, with which FCL's are compared too.
//
//   arm_service_bench [--short] [--csv=FILE]
//
// Needs the data sets (CLEARANCE_DATA); without them it says so, and measures nothing.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "clearance/client.h"
#include "client/examples/ompl/data_files.h"
#include "client/examples/ompl/fcl_cell.h"
#include "client/examples/ompl/service_cell.h"
#include "core/scene/scene_query.h"
#include "tests/bench/load/target.h"
#include "tests/bench/report.h"
#include "tests/support/arm.h"
#include "tests/support/skip.h"

ABSL_FLAG(bool, short, false, "A few questions, hardly timed: checks the answers only.");
ABSL_FLAG(std::string, csv, "", "Where to write every figure; empty: nowhere.");

namespace clearance::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCpuOfOne = "cpu_ns_per_configuration";
constexpr const char* kRateOfCore = "configurations_per_second_and_core";
constexpr const char* kDiffers = "differs_percent";
constexpr const char* kServer = "stream/panda/server";
constexpr const char* kCore = "stream/panda/core";
// FCL's own solver takes ten times as long as libccd's in some of these scenes: world_bench has it.
constexpr const char* kFcl = "stream/panda/fcl-libccd";
constexpr std::size_t kRounds = 3;
constexpr std::size_t kRowsAMessage = 1024;
constexpr std::size_t kShortRows = 64;
constexpr std::size_t kShortProblems = 5;

struct Case {
  std::vector<plan::Obstacle> obstacles;
  std::vector<plan::JointVector> rows;
  std::vector<std::vector<plan::Pose>> robot_poses;  // of each row
  ScenePtr scene;
  std::vector<Pose> poses;  // one a body, row after row
  std::vector<bool> free;   // by the core in this process
};

// Processor time of all problems in one round.
struct Round {
  double server = 0;
  double core = 0;
  double fcl = 0;
};

class Bench {
 public:
  Bench(const fs::path& data, bool is_short)
      : scenes_(data / "scenes_mbm_panda"),
        arm_(plan::ReadRobot(data / "robot_panda", scenes_).value()),
        bodies_(testing::BodiesOf(arm_)),
        rules_(testing::RulesOf(arm_)),
        rows_(is_short ? kShortRows : kRowsAMessage),
        rounds_(is_short ? 1 : kRounds) {
    problems_ = plan::ReadProblems(scenes_).value();
    if (is_short) problems_.resize(kShortProblems);
  }

  void Run(Report* report) {
    BenchServer server;
    {
      const client::Client client = client::Client::Connect(server.address()).value();
      const auto cell = plan::ServiceCell::Make(client, arm_, "bench").value();
      for (const plan::Problem& problem : problems_) AskAll(problem, server.pid(), cell.get());
    }
    server.End();
    for (const Round& round : rounds_) {
      Add(kServer, round.server, report);
      Add(kCore, round.core, report);
      Add(kFcl, round.fcl, report);
    }
    report->Add(kFcl, kDiffers, 100 * static_cast<double>(differ_) / Configurations());
    std::printf("arm: %zu scenes, %zu configurations each, %.1f %% free: all as in the process\n",
                problems_.size(), rows_, 100 * static_cast<double>(free_) / Configurations());
  }

 private:
  // Each of the three in every round, one after another; the problems do not all fit in memory.
  void AskAll(const plan::Problem& problem, pid_t server, plan::ServiceCell* cell) {
    const Case asked = MakeCase(problem);
    free_ += static_cast<std::size_t>(std::count(asked.free.begin(), asked.free.end(), true));
    if (!cell->Load(asked.obstacles).ok()) Fail("a scene was not made");
    fcl_.Load(asked.obstacles);
    for (Round& round : rounds_) {
      round.server += ServerNanoseconds(server, cell, asked);
      const double before = ThreadNanoseconds();
      AskCore(asked);
      round.core += ThreadNanoseconds() - before;
      round.fcl += FclNanoseconds(asked);
    }
    for (std::size_t i = 0; i < rows_; ++i) differ_ += touches_[i] == asked.free[i];
  }

  Case MakeCase(const plan::Problem& problem) {
    Case made;
    made.obstacles = problem.obstacles;
    made.scene = testing::MakeScene(problem.obstacles);
    for (std::size_t i = 0; i < rows_; ++i) {
      const double t = static_cast<double>(i) / static_cast<double>(rows_ - 1);
      made.rows.push_back(arm_.JointsOf(problem.JointsAt(t)));
      made.robot_poses.push_back(arm_.BodyPosesAt(made.rows.back()));
      const std::vector<Pose> poses = testing::ToCore(made.robot_poses.back());
      made.poses.insert(made.poses.end(), poses.begin(), poses.end());
    }
    for (const CheckAnswer& answer : AskCore(made)) {
      made.free.push_back(answer.verdict == Verdict::kFree);
    }
    return made;
  }

  const std::vector<CheckAnswer>& AskCore(const Case& asked) {
    answers_.resize(asked.rows.size());
    const SceneQuery query = {.scene = *asked.scene, .bodies = bodies_, .rules = &rules_};
    CheckConfigurations({query, asked.poses}, {}, absl::MakeSpan(answers_), &scratch_);
    return answers_;
  }

  double Configurations() const { return static_cast<double>(problems_.size() * rows_); }

  void Add(const char* name, double nanoseconds, Report* report) const {
    const double of_one = nanoseconds / Configurations();
    report->Add(name, kCpuOfOne, of_one);
    report->Add(name, kRateOfCore, 1e9 / of_one);
  }

  // Returns the cost of one message and its reply.
  static double ServerNanoseconds(pid_t server, plan::ServiceCell* cell, const Case& asked) {
    clockid_t clock{};
    if (clock_getcpuclockid(server, &clock) != 0) Fail("the server is gone");
    const double before = Nanoseconds(clock);
    const auto free = cell->AreFree(asked.rows);
    const double after = Nanoseconds(clock);
    if (!free.ok()) Fail("a message was refused: " + std::string(free.status().message()));
    if (*free != asked.free) Fail("an answer is not the core's");
    return after - before;
  }

  double FclNanoseconds(const Case& asked) {
    touches_.resize(asked.rows.size());
    const double before = ThreadNanoseconds();
    for (std::size_t i = 0; i < touches_.size(); ++i) {
      touches_[i] = fcl_.Touches(asked.robot_poses[i]);
    }
    return ThreadNanoseconds() - before;
  }

  const fs::path scenes_;
  const plan::Robot arm_;
  const std::vector<SceneBody> bodies_;
  const PairRules rules_;
  const std::size_t rows_;
  std::vector<plan::Problem> problems_;
  std::vector<Round> rounds_;
  std::size_t free_ = 0;
  std::size_t differ_ = 0;  // FCL's from ours
  std::vector<CheckAnswer> answers_;
  std::vector<bool> touches_;
  SceneScratch scratch_;
  plan::FclCell fcl_ = {arm_, plan::FclCell::Solver::kLibccd};
};

void PrintTable(const Report& report) {
  std::printf("\nmedians of %zu rounds, %zu rows a message\n%-28s%12s%24s\n", kRounds,
              kRowsAMessage, "of a configuration", "CPU ns", "a second and core");
  for (const char* name : {kServer, kCore, kFcl}) {
    std::printf("%-28s%12.0f%24.0f\n", name, report.Median(name, kCpuOfOne),
                report.Median(name, kRateOfCore));
  }
  std::printf("%-28s%12.2f %% differ\n", kFcl, report.Median(kFcl, kDiffers));
  const double times = report.Median(kFcl, kCpuOfOne) / report.Median(kServer, kCpuOfOne);
  std::printf("%-28s%12.2f (aimed at: 5)\n", "FCL / server", times);
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
  return clearance::bench::RunBench("arm_service_bench", clearance::bench::Main);
}
