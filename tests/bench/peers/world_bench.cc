// SPDX-License-Identifier: Apache-2.0
//
// Whole worlds in the core and in other libraries, one process, one thread, in turns: rays through
// levels of games beside Bullet's collision world, and configurations of an arm among obstacles
// beside FCL's managers. Every verdict of ours about the arm is compared with all pairs one by one,
// rays by a sample; a wrong one fails the run. For the others the share that differs is printed.
//
//   world_bench [--short] [--csv=FILE]
//
// Needs the data sets (CLEARANCE_DATA); without them it says so, and measures nothing.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "client/examples/ompl/data_files.h"
#include "client/examples/ompl/fcl_cell.h"
#include "core/query/body_query.h"
#include "core/scene/scene_query.h"
#include "tests/bench/one_by_one.h"
#include "tests/bench/peers/worlds.h"
#include "tests/bench/report.h"
#include "tests/support/arm.h"
#include "tests/support/level.h"
#include "tests/support/random.h"
#include "tests/support/skip.h"

ABSL_FLAG(bool, short, false, "A few questions, hardly timed: checks the answers only.");
ABSL_FLAG(std::string, csv, "", "Where to write every figure; empty: nowhere.");

namespace clearance::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCpu = "cpu_ns_per_question";
constexpr const char* kWrong = "differs_percent";
constexpr int kRounds = 5;
constexpr double kRayLength = 1000;
constexpr std::size_t kCheckedRays = 40;
constexpr std::size_t kShortRays = 200;
constexpr std::size_t kShortProblems = 10;
constexpr std::size_t kConfigurations = 20;  // between start and goal of a problem
// The tolerance of another library's hit, as a share of the path.
constexpr double kRayTolerance = 1e-6;

bool has_failed = false;

void Fail(const std::string& what) {
  std::fprintf(stderr, "world_bench: WRONG: %s\n", what.c_str());
  has_failed = true;
}

double PercentOf(std::size_t part, std::size_t whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// Times ask(i) for all i, and adds the time of one.
template <class Ask>
void Time(const std::string& name, std::size_t count, Report* report, const Ask& ask) {
  const double before = ThreadNanoseconds();
  for (std::size_t i = 0; i < count; ++i) ask(i);
  report->Add(name, kCpu, (ThreadNanoseconds() - before) / static_cast<double>(count));
}

// ---- Rays ----

double Cast(const Scene& scene, const Ray& ray, SceneScratch* scratch) {
  const SweepAnswer answer = CastRay(scene, ray, RayKind::kClosest, scratch);
  return answer.earliest.contact.state == MotionState::kFree ? kNoHit
                                                             : answer.earliest.contact.t_hit;
}

bool IsRight(const Scene& scene, const Ray& ray, SceneScratch* scratch) {
  return IsSame(FirstOneByOne(scene, ray), CastRay(scene, ray, RayKind::kClosest, scratch));
}

// From where players were, anywhere.
std::vector<Ray> RaysThrough(const testing::Level& level, bool is_short) {
  testing::Random random(2);
  std::vector<Ray> rays;
  for (const auto& [key, move] : level.moves) {
    rays.push_back({.origin = move.center, .displacement = kRayLength * random.Direction()});
    if (is_short && rays.size() == kShortRays) break;
  }
  return rays;
}

void RunRays(const fs::path& folder, bool is_short, Report* report) {
  const testing::Level level = testing::ReadLevel(folder);
  const BulletWorld bullet(*level.scene);
  const std::vector<Ray> rays = RaysThrough(level, is_short);
  SceneScratch scratch;
  std::vector<double> ours;
  std::size_t differ = 0;
  for (std::size_t i = 0; i < rays.size(); ++i) {
    ours.push_back(Cast(*level.scene, rays[i], &scratch));
    if (i % (rays.size() / kCheckedRays) == 0 && !IsRight(*level.scene, rays[i], &scratch))
      Fail("a ray through " + folder.string());
    const double theirs = bullet.Cast(rays[i].origin, rays[i].displacement);
    if (!(std::fabs(theirs - ours[i]) <= kRayTolerance)) ++differ;
  }
  const std::string name = "ray/" + folder.filename().string();
  report->Add(name + "/bullet", kWrong, PercentOf(differ, rays.size()));
  double sum = 0;
  for (int round = 0; round < (is_short ? 1 : kRounds); ++round) {
    Time(name + "/clearance", rays.size(), report,
         [&](std::size_t i) { sum += Cast(*level.scene, rays[i], &scratch); });
    Time(name + "/bullet", rays.size(), report,
         [&](std::size_t i) { sum += bullet.Cast(rays[i].origin, rays[i].displacement); });
  }
  std::printf("%-28s %zu bodies, %zu rays, mean %.3f\n", name.c_str(), level.scene->size(),
              rays.size(), sum / static_cast<double>(rays.size()));
}

// ---- An arm among obstacles ----

struct Problem {
  std::vector<plan::Obstacle> obstacles;
  ScenePtr scene;
  // For each of kConfigurations; once more as ours.
  std::vector<std::vector<plan::Pose>> robot_poses;
  std::vector<std::vector<Pose>> poses;
};

std::vector<Problem> MakeProblems(const plan::Robot& arm, const fs::path& folder, bool is_short) {
  std::vector<Problem> problems;
  const std::vector<plan::Problem> all = plan::ReadProblems(folder).value();
  for (const plan::Problem& read : all) {
    Problem problem = {read.obstacles, testing::MakeScene(read.obstacles), {}, {}};
    for (std::size_t i = 0; i < kConfigurations; ++i) {
      const double t = static_cast<double>(i) / (kConfigurations - 1);
      problem.robot_poses.push_back(arm.BodyPosesAt(arm.JointsOf(read.JointsAt(t))));
      problem.poses.push_back(testing::ToCore(problem.robot_poses.back()));
    }
    problems.push_back(std::move(problem));
    if (is_short && problems.size() == kShortProblems) break;
  }
  return problems;
}

bool DoTouch(const SceneBody& a, const Pose& X_WA, const SceneBody& b, const Pose& X_WB) {
  return Intersection(PosedBody{*a.body, X_WA}, PosedBody{*b.body, X_WB}).state !=
         State::kSeparated;
}

// Whether any pair touches, asked one by one.
bool TouchesAny(const SceneQuery& query) {
  for (std::size_t i = 0; i < query.bodies.size(); ++i) {
    for (std::size_t k = 0; k < query.scene.size(); ++k) {
      const SceneBody obstacle = query.scene.BodyAt(k);
      if (DoTouch(query.bodies[i], query.poses[i], obstacle, obstacle.X_WB)) return true;
    }
    for (std::size_t j = 0; j < i; ++j) {
      const bool may_touch = query.rules->Find(query.bodies[i].id, query.bodies[j].id) != nullptr;
      if (!may_touch && DoTouch(query.bodies[i], query.poses[i], query.bodies[j], query.poses[j]))
        return true;
    }
  }
  return false;
}

class ArmBench {
 public:
  ArmBench(const plan::Robot& arm, const std::vector<Problem>& problems)
      : arm_(arm),
        bodies_(testing::BodiesOf(arm)),
        rules_(testing::RulesOf(arm)),
        problems_(problems) {}

  // Ours against all pairs, the others against ours.
  void Check(Report* report) {
    std::size_t touching = 0;
    std::size_t differ[2] = {};
    for (const Problem& problem : problems_) {
      Load(problem);
      for (std::size_t i = 0; i < kConfigurations; ++i) {
        const bool touches = AskOurs(problem, i);
        touching += touches ? 1 : 0;
        if (touches != TouchesAny(QueryOf(problem, i))) Fail("a configuration of the arm");
        for (std::size_t k = 0; k < 2; ++k) differ[k] += AskFcl(k, problem, i) != touches ? 1 : 0;
      }
    }
    const std::size_t count = problems_.size() * kConfigurations;
    std::printf("arm: %zu configurations, %.1f %% touch, all as pair by pair\n", count,
                PercentOf(touching, count));
    for (std::size_t k = 0; k < 2; ++k) report->Add(kNames[k], kWrong, PercentOf(differ[k], count));
  }

  void Measure(Report* report) {
    double ours = 0;
    double theirs[2] = {};
    for (const Problem& problem : problems_) {
      Load(problem);
      ours += TimeOf([&](std::size_t i) { AskOurs(problem, i); });
      for (std::size_t k = 0; k < 2; ++k)
        theirs[k] += TimeOf([&](std::size_t i) { AskFcl(k, problem, i); });
    }
    const auto count = static_cast<double>(problems_.size() * kConfigurations);
    report->Add("check/panda/clearance", kCpu, ours / count);
    for (std::size_t k = 0; k < 2; ++k) report->Add(kNames[k], kCpu, theirs[k] / count);
  }

 private:
  static constexpr const char* kNames[2] = {"check/panda/fcl-libccd", "check/panda/fcl-indep"};

  template <class Ask>
  static double TimeOf(const Ask& ask) {
    const double before = ThreadNanoseconds();
    for (std::size_t i = 0; i < kConfigurations; ++i) ask(i);
    return ThreadNanoseconds() - before;
  }

  void Load(const Problem& problem) {
    own_pairs_.Find({.scene = *problem.scene, .bodies = bodies_, .rules = &rules_});
    for (plan::FclCell& fcl : fcl_) fcl.Load(problem.obstacles);
  }

  SceneQuery QueryOf(const Problem& problem, std::size_t i) const {
    return {.scene = *problem.scene,
            .bodies = bodies_,
            .poses = problem.poses[i],
            .rules = &rules_,
            .own_pairs = &own_pairs_};
  }

  bool AskOurs(const Problem& problem, std::size_t i) {
    return CheckScene(QueryOf(problem, i), {}, &scratch_).verdict != Verdict::kFree;
  }

  bool AskFcl(std::size_t k, const Problem& problem, std::size_t i) {
    return fcl_[k].Touches(problem.robot_poses[i]);
  }

  const plan::Robot& arm_;
  const std::vector<SceneBody> bodies_;
  const PairRules rules_;
  const std::vector<Problem>& problems_;
  SceneScratch scratch_;
  OwnPairs own_pairs_;
  plan::FclCell fcl_[2] = {{arm_, plan::FclCell::Solver::kLibccd},
                           {arm_, plan::FclCell::Solver::kIndependent}};
};

void RunArm(const fs::path& data, bool is_short, Report* report) {
  const fs::path scenes = data / "scenes_mbm_panda";
  const plan::Robot arm = plan::ReadRobot(data / "robot_panda", scenes).value();
  if (plan::WorstLinkError(arm, data / "robot_panda").value() > 1e-9) Fail("forward kinematics");
  const std::vector<Problem> problems = MakeProblems(arm, scenes, is_short);
  ArmBench bench(arm, problems);
  bench.Check(report);
  for (int round = 0; round < (is_short ? 1 : kRounds); ++round) bench.Measure(report);
}

// ---- The whole ----

void PrintTable(const Report& report, const std::vector<std::string>& questions) {
  std::printf("\n%-24s%14s%14s%10s%10s\n", "median of CPU ns", "clearance", "best other", "times",
              "differs");
  for (const std::string& question : questions) {
    double best = HUGE_VAL;
    double differs = 0;
    for (const char* other : {"/bullet", "/fcl-libccd", "/fcl-indep"}) {
      const double time = report.Median(question + other, kCpu);
      if (!(time < best)) continue;
      best = time;
      differs = report.Median(question + other, kWrong);
    }
    const double ours = report.Median(question + "/clearance", kCpu);
    std::printf("%-24s%14.0f%14.0f%10.2f%8.2f %%\n", question.c_str(), ours, best, best / ours,
                differs);
  }
}

int Main() {
  const fs::path data = CLEARANCE_DATA;
  if (!fs::is_directory(data / "scenes_mbm_panda")) {
    std::printf("%s\n", test::kNoDataSets);
    return 0;
  }
  const bool is_short = absl::GetFlag(FLAGS_short);
  Report report;
  std::vector<std::string> questions;
  for (const char* map : {"map_lq_e1m7", "map_lqdm9", "map_oa_dm2"}) {
    RunRays(data / map, is_short, &report);
    questions.push_back(std::string("ray/") + map);
  }
  RunArm(data, is_short, &report);
  questions.emplace_back("check/panda");
  if (!is_short) PrintTable(report, questions);
  const std::string csv = absl::GetFlag(FLAGS_csv);
  if (!csv.empty() && !report.WriteCsv(csv)) {
    std::fprintf(stderr, "cannot write %s\n", csv.c_str());
    return 1;
  }
  return has_failed ? 1 : 0;
}

}  // namespace
}  // namespace clearance::bench

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return clearance::bench::Main();
}
