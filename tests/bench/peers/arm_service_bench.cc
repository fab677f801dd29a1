// SPDX-License-Identifier: Apache-2.0
//
// What a motion planner pays that asks clearance-server over the network whether a whole arm among
// obstacles is free, and what one pays that has FCL's managers in its own process: the same hulls,
// pairs that may touch and configurations. Of the server it is all processor time until the reply
// is here, the wire included, read from outside; of FCL that of the thread. Both take turns. Every
// answer of the server is held against the core's in this process, with which FCL's are compared.
//
//   arm_service_bench [--short] [--csv=FILE]
//
// Needs the data sets (CLEARANCE_DATA); says so, and measures nothing, where they are not there.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
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

ABSL_FLAG(bool, short, false, "A few questions, hardly timed: checks the answers only.");
ABSL_FLAG(std::string, csv, "", "Where to write every figure; empty: nowhere.");

namespace clearance::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCpuOfOne = "cpu_ns_per_configuration";
constexpr const char* kDiffers = "differs_percent";
constexpr const char* kServer = "stream/panda/server";
constexpr const char* kCore = "stream/panda/core";
// FCL's own solver takes ten times as long as libccd's in some of these scenes: world_bench has it.
constexpr const char* kFcl = "stream/panda/fcl-libccd";
constexpr int kRounds = 5;
constexpr std::size_t kRowsAMessage = 1024;
constexpr std::size_t kProblemsApart = 10;  // every tenth problem is asked
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

class Bench {
 public:
  Bench(const fs::path& data, bool is_short)
      : scenes_(data / "scenes_mbm_panda"),
        arm_(plan::ReadRobot(data / "robot_panda", scenes_).value()),
        bodies_(testing::BodiesOf(arm_)),
        rules_(testing::RulesOf(arm_)),
        is_short_(is_short) {}

  void Run(Report* report) {
    MakeCases();
    BenchServer server;
    {
      const client::Client client = client::Client::Connect(server.address()).value();
      const auto cell = plan::ServiceCell::Make(client, arm_, "bench").value();
      for (int round = 0; round < (is_short_ ? 1 : kRounds); ++round) {
        RunRound(server.pid(), cell.get(), report);
      }
    }
    server.End();
    std::printf("arm: %zu scenes, %zu configurations each, %.1f %% free: all as in the process\n",
                cases_.size(), cases_.front().rows.size(), 100 * FreePart());
  }

 private:
  void MakeCases() {
    const std::vector<plan::Problem> all = plan::ReadProblems(scenes_).value();
    for (std::size_t k = 0; k < all.size(); k += kProblemsApart) {
      cases_.push_back(MakeCase(all[k]));
      if (is_short_ && cases_.size() == kShortProblems) return;
    }
  }

  Case MakeCase(const plan::Problem& problem) {
    Case made;
    made.obstacles = problem.obstacles;
    made.scene = testing::MakeScene(problem.obstacles);
    const std::size_t rows = is_short_ ? kShortRows : kRowsAMessage;
    for (std::size_t i = 0; i < rows; ++i) {
      const double t = static_cast<double>(i) / static_cast<double>(rows - 1);
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
    const Asker asker = {.scene = *asked.scene, .bodies = bodies_, .rules = &rules_};
    CheckConfigurations({asker, asked.poses}, {}, absl::MakeSpan(answers_), &scratch_);
    return answers_;
  }

  double FreePart() const {
    std::size_t free = 0;
    std::size_t all = 0;
    for (const Case& asked : cases_) {
      free += static_cast<std::size_t>(std::count(asked.free.begin(), asked.free.end(), true));
      all += asked.free.size();
    }
    return static_cast<double>(free) / static_cast<double>(all);
  }

  void RunRound(pid_t server, plan::ServiceCell* cell, Report* report) {
    double of_server = 0;
    double of_core = 0;
    double of_fcl = 0;
    std::size_t differ = 0;
    std::size_t count = 0;
    for (const Case& asked : cases_) {
      if (!cell->Load(asked.obstacles).ok()) Fail("a scene was not made");
      of_server += ServerNanoseconds(server, cell, asked);
      const double before = ThreadNanoseconds();
      AskCore(asked);
      of_core += ThreadNanoseconds() - before;
      of_fcl += FclNanoseconds(asked, &differ);
      count += asked.rows.size();
    }
    const auto rows = static_cast<double>(count);
    report->Add(kServer, kCpuOfOne, of_server / rows);
    report->Add(kCore, kCpuOfOne, of_core / rows);
    report->Add(kFcl, kCpuOfOne, of_fcl / rows);
    report->Add(kFcl, kDiffers, 100 * static_cast<double>(differ) / rows);
  }

  // Of one message and its reply.
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

  double FclNanoseconds(const Case& asked, std::size_t* differ) {
    fcl_.Load(asked.obstacles);
    touches_.resize(asked.rows.size());
    const double before = ThreadNanoseconds();
    for (std::size_t i = 0; i < touches_.size(); ++i) {
      touches_[i] = fcl_.Touches(asked.robot_poses[i]);
    }
    const double after = ThreadNanoseconds();
    for (std::size_t i = 0; i < touches_.size(); ++i) *differ += touches_[i] == asked.free[i];
    return after - before;
  }

  const fs::path scenes_;
  const plan::Robot arm_;
  const std::vector<SceneBody> bodies_;
  const PairRules rules_;
  const bool is_short_;
  std::vector<Case> cases_;
  std::vector<CheckAnswer> answers_;
  std::vector<bool> touches_;
  SceneScratch scratch_;
  plan::FclCell fcl_ = {arm_, plan::FclCell::Solver::kLibccd};
};

void PrintTable(const Report& report) {
  const double server = report.Median(kServer, kCpuOfOne);
  std::printf("\nCPU ns per configuration; medians of %d rounds, %zu rows a message\n", kRounds,
              kRowsAMessage);
  for (const char* name : {kServer, kCore, kFcl}) {
    std::printf("%-28s%10.0f\n", name, report.Median(name, kCpuOfOne));
  }
  std::printf("%-28s%10.2f %% differ\n", kFcl, report.Median(kFcl, kDiffers));
  const double times = report.Median(kFcl, kCpuOfOne) / server;
  std::printf("%-28s%10.2f (aimed at: 5)\n", "FCL / server", times);
}

int Main() {
  const fs::path data = CLEARANCE_DATA;
  if (!fs::is_directory(data / "scenes_mbm_panda")) {
    std::printf("arm_service_bench: skipped, no data sets in %s\n", data.c_str());
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
