// SPDX-License-Identifier: Apache-2.0
//
// OMPL plans an arm's paths through scenes. A clearance server judges in two forms whether they are
// free, and for comparison FCL in this process. Every path is checked again by FCL in steps of a
// millimetre; the run fails if one that the server proved collides.
//
//   plan --server=ADDRESS [--short] [--data=FOLDER] [--problems=N]
//
// README.md states what is proved, and the results.

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clearance/client.h"
#include "client/examples/ompl/block_arm.h"
#include "client/examples/ompl/data_files.h"
#include "client/examples/ompl/fcl_cell.h"
#include "client/examples/ompl/fcl_judge.h"
#include "client/examples/ompl/planner.h"
#include "client/examples/ompl/service_cell.h"
#include "client/examples/ompl/service_judges.h"

ABSL_FLAG(std::string, server, "127.0.0.1:50051", "The server's address.");
ABSL_FLAG(std::string, data, "", "Folder of robot_panda and scenes_mbm_panda; empty: none.");
ABSL_FLAG(bool, short, false, "A problem or two of each arm and one seed.");
ABSL_FLAG(std::size_t, problems, 3, "Problems of each family of scenes.");

namespace clearance::plan {
namespace {

namespace fs = std::filesystem;

constexpr PlannerKind kPlanners[] = {PlannerKind::kRrtConnect, PlannerKind::kBiEst};
constexpr std::uint32_t kSeeds = 5;
constexpr std::uint64_t kMostChecks = 100'000;
constexpr double kFineStep = 1e-3;  // metres that a point may move from one check to the next
constexpr double kWorstLinkError = 1e-9;
constexpr std::size_t kShortProblems = 2;

enum JudgeKind : std::size_t { kFcl, kStates, kProof, kJudges };
constexpr const char* kJudgeNames[kJudges] = {"FCL, states", "service, states", "service, proved"};

bool has_failed = false;

void Fail(const std::string& what) {
  std::fprintf(stderr, "plan: FAILED: %s\n", what.c_str());
  has_failed = true;
}

template <class T>
T OrDie(absl::StatusOr<T> value, const std::string& what) {
  if (value.ok()) return *std::move(value);
  std::fprintf(stderr, "plan: %s: %s\n", what.c_str(), value.status().ToString().c_str());
  std::exit(2);  // NOLINT(concurrency-mt-unsafe): one thread of ours
}

// The result of one planner with one seed for one problem.
struct Run {
  std::string problem = {};
  PlannerKind planner = PlannerKind::kRrtConnect;
  Plan plans[kJudges] = {};
  JudgeCounts counts[kJudges] = {};
  bool collides[kJudges] = {};
};

// Returns whether FCL finds the arm touching anything anywhere on the path, in fine steps.
bool Collides(const Robot& robot, const std::vector<JointVector>& path, FclCell* cell) {
  if (path.empty()) return false;
  if (cell->Touches(path.front())) return true;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const double metres = robot.MotionBound(TurnBetween(path[i - 1], path[i]));
    const auto count = static_cast<std::size_t>(std::fmax(std::ceil(metres / kFineStep), 1));
    for (std::size_t k = 1; k <= count; ++k) {
      const double t = static_cast<double>(k) / static_cast<double>(count);
      if (cell->Touches(Between(path[i - 1], path[i], t))) return true;
    }
  }
  return false;
}

// One arm, at a server and in FCL.
class Study {
 public:
  Study(const client::Client& client, const Robot& robot, const std::string& prefix)
      : robot_(robot),
        service_(OrDie(ServiceCell::Make(client, robot, prefix), "attaching the arm")),
        fcl_(robot, FclCell::Solver::kLibccd) {}

  void Load(const Problem& problem) {
    if (absl::Status status = service_->Load(problem.obstacles); !status.ok())
      Fail(problem.name + ": " + std::string(status.message()));
    fcl_.Load(problem.obstacles);
    straight_ways_ += 1;
    const std::vector<JointVector> straight = {robot_.JointsOf(problem.start),
                                               robot_.JointsOf(problem.goal)};
    if (Collides(robot_, straight, &fcl_)) ++straight_ways_that_collide_;
  }

  // Plans the problem that was loaded.
  Run Ask(const Problem& problem, PlannerKind planner, std::uint32_t seed) {
    Run run;
    run.problem = problem.name;
    run.planner = planner;
    for (std::size_t kind = 0; kind < kJudges; ++kind) {
      const std::unique_ptr<Judge> judge = MakeJudge(static_cast<JudgeKind>(kind));
      const Task task = {robot_, robot_.JointsOf(problem.start), robot_.JointsOf(problem.goal)};
      run.plans[kind] = MakePlan(task, {planner, seed, kMostChecks}, judge.get());
      run.counts[kind] = judge->counts();
      if (!judge->status().ok()) Fail(problem.name + ": " + judge->status().ToString());
      run.collides[kind] = Collides(robot_, run.plans[kind].path, &fcl_);
    }
    if (run.collides[kProof])
      Fail(problem.name + ", seed " + std::to_string(seed) + ": a path that was proved collides");
    return run;
  }

  // Checks that the fine steps detect paths that collide.
  void CheckStraightWays() const {
    std::printf("%zu of %zu straight ways from start to goal collide, by the same fine steps\n",
                straight_ways_that_collide_, straight_ways_);
    if (straight_ways_that_collide_ == 0) Fail("no straight way was seen to collide");
  }

 private:
  std::unique_ptr<Judge> MakeJudge(JudgeKind kind) {
    if (kind == kFcl) return std::make_unique<FclJudge>(&fcl_);
    if (kind == kStates) return std::make_unique<StatesJudge>(service_.get());
    return std::make_unique<ProofJudge>(robot_, service_.get());
  }

  const Robot& robot_;
  std::unique_ptr<ServiceCell> service_;
  FclCell fcl_;
  std::size_t straight_ways_ = 0;
  std::size_t straight_ways_that_collide_ = 0;
};

// ---- Results ----

double Median(std::vector<double> values) {
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Returns the ratio for the runs that both judges solved.
double RatioToFcl(const std::vector<Run>& runs, std::size_t kind) {
  std::vector<double> ours, theirs;
  for (const Run& run : runs) {
    if (run.plans[kind].path.empty() || run.plans[kFcl].path.empty()) continue;
    ours.push_back(run.plans[kind].seconds);
    theirs.push_back(run.plans[kFcl].seconds);
  }
  return Median(ours) / Median(theirs);
}

double PercentSaved(std::uint64_t needed, std::uint64_t states) {
  return 100 * (1 - static_cast<double>(needed) / static_cast<double>(states));
}

void PrintRow(const std::vector<Run>& runs, std::size_t kind) {
  std::size_t solved = 0;
  std::size_t colliding = 0;
  std::size_t same_as_fcl = 0;
  std::vector<double> milliseconds, checks, calls;
  JudgeCounts sum;
  for (const Run& run : runs) {
    if (run.plans[kind].path == run.plans[kFcl].path) ++same_as_fcl;
    const JudgeCounts& counts = run.counts[kind];
    sum.states_on_free_ways += counts.states_on_free_ways;
    sum.checks_for_free_ways += counts.checks_for_free_ways;
    sum.calls_for_free_ways += counts.calls_for_free_ways;
    sum.too_near += counts.too_near;
    if (run.plans[kind].path.empty()) continue;
    ++solved;
    colliding += run.collides[kind] ? 1 : 0;
    milliseconds.push_back(1e3 * run.plans[kind].seconds);
    checks.push_back(static_cast<double>(counts.checks));
    calls.push_back(static_cast<double>(counts.calls));
  }
  std::printf(
      "| %s | %s | %zu of %zu | %.1f | %.2f | %.0f | %.0f | %.0f %% | %.0f %% | %zu | %zu |\n",
      Name(runs.front().planner), kJudgeNames[kind], solved, runs.size(), Median(milliseconds),
      RatioToFcl(runs, kind), Median(checks), Median(calls),
      PercentSaved(sum.checks_for_free_ways, sum.states_on_free_ways),
      PercentSaved(sum.calls_for_free_ways, sum.states_on_free_ways), colliding, same_as_fcl);
}

void PrintTable(const std::vector<Run>& all) {
  std::printf(
      "| planner | judge | solved | median ms | times FCL | checks | calls | checks saved | calls "
      "saved | colliding | path as by FCL |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const PlannerKind planner : kPlanners) {
    std::vector<Run> runs;
    std::copy_if(all.begin(), all.end(), std::back_inserter(runs),
                 [&](const Run& run) { return run.planner == planner; });
    for (std::size_t kind = 0; kind < kJudges; ++kind) PrintRow(runs, kind);
  }
}

// Returns the problems that this judge's plans solve, with any seed.
std::set<std::string> SolvedBy(JudgeKind kind, PlannerKind planner, const std::vector<Run>& runs) {
  std::set<std::string> solved;
  for (const Run& run : runs) {
    if (run.planner == planner && !run.plans[kind].path.empty()) solved.insert(run.problem);
  }
  return solved;
}

// Checks that problems which FCL solves are solved with proof as well.
void CheckProblems(const std::vector<Run>& runs) {
  for (const PlannerKind planner : kPlanners) {
    const std::set<std::string> proved = SolvedBy(kProof, planner, runs);
    const std::set<std::string> by_fcl = SolvedBy(kFcl, planner, runs);
    std::printf("%s: %zu problems solved in FCL, %zu with proof\n", Name(planner), by_fcl.size(),
                proved.size());
    for (const std::string& problem : by_fcl) {
      if (!proved.contains(problem)) Fail(problem + ": only FCL solves it");
    }
  }
}

// ---- The problems ----

void RunProblems(Study* study, const std::vector<Problem>& problems, std::uint32_t seeds) {
  std::vector<Run> runs;
  for (const Problem& problem : problems) {
    study->Load(problem);
    for (const PlannerKind planner : kPlanners) {
      for (std::uint32_t seed = 1; seed <= seeds; ++seed)
        runs.push_back(study->Ask(problem, planner, seed));
    }
  }
  PrintTable(runs);
  CheckProblems(runs);
  study->CheckStraightWays();
  const bool any_solved = std::any_of(
      runs.begin(), runs.end(), [](const Run& run) { return !run.plans[kProof].path.empty(); });
  if (!any_solved) Fail("no problem was solved with proof");
}

// Returns so many problems of each family, which is the part of a name before the slash.
std::vector<Problem> SomeOf(const std::vector<Problem>& problems, std::size_t of_each) {
  std::vector<Problem> some;
  std::string family;
  std::size_t taken = 0;
  for (const Problem& problem : problems) {
    const std::string name = problem.name.substr(0, problem.name.find('/'));
    if (name != family) taken = 0;
    family = name;
    if (taken++ < of_each) some.push_back(problem);
  }
  return some;
}

void RunPanda(const client::Client& client, const fs::path& data, const std::string& prefix) {
  const fs::path scenes = data / "scenes_mbm_panda";
  if (!fs::is_directory(scenes)) {
    std::printf("Panda: SKIPPED: no data sets in %s\n", data.c_str());
    return;
  }
  const Robot robot = OrDie(ReadRobot(data / "robot_panda", scenes), "the robot");
  if (!(OrDie(WorstLinkError(robot, data / "robot_panda"), "kinematics") < kWorstLinkError))
    Fail("forward kinematics");
  const bool is_short = absl::GetFlag(FLAGS_short);
  std::vector<Problem> problems = SomeOf(OrDie(ReadProblems(scenes), "the problems"),
                                         is_short ? 1 : absl::GetFlag(FLAGS_problems));
  if (is_short) problems.resize(std::min(problems.size(), kShortProblems));
  std::printf("Panda: %zu problems\n", problems.size());
  Study study(client, robot, prefix + "/panda");
  RunProblems(&study, problems, is_short ? 1 : kSeeds);
}

void RunBlockArm(const client::Client& client, const std::string& prefix) {
  const Robot robot = BlockArm();
  std::printf("An arm of blocks around a post\n");
  Study study(client, robot, prefix + "/blocks");
  RunProblems(&study, {PostProblem()}, kSeeds);
}

int Main() {
  const client::Client client =
      OrDie(client::Client::Connect(absl::GetFlag(FLAGS_server)), "connecting");
  const std::string prefix = "plan/" + std::to_string(getpid());
  RunBlockArm(client, prefix);
  RunPanda(client, absl::GetFlag(FLAGS_data), prefix);
  return has_failed ? 1 : 0;
}

}  // namespace
}  // namespace clearance::plan

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return clearance::plan::Main();
}
