// SPDX-License-Identifier: Apache-2.0
//
// The cost of scenes, one thread: to build one, to change a thousand poses, to fork, and to ask,
// from a hundred to a hundred thousand bodies. If the data sets are there (CLEARANCE_DATA), also
// players and rays through levels of games. Before anything is timed, a sample of the answers of
// every kind is compared with all bodies one by one; one wrong answer fails the run.
// (scene_service_bench measures a server with such scenes.)
//
//   scene_bench [--short] [--csv=FILE] [google-benchmark's own flags]

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "core/query/body_query.h"
#include "core/scene/scene_query.h"
#include "core/shape/make_shape.h"
#include "tests/bench/one_by_one.h"
#include "tests/bench/report.h"
#include "tests/support/level.h"
#include "tests/support/random.h"
#include "tests/support/skip.h"

ABSL_FLAG(bool, short, false, "Small scenes, hardly timed: checks the answers only.");
ABSL_FLAG(std::string, csv, "", "Where to write every figure; empty: nowhere.");

namespace clearance::bench {
namespace {

using testing::Random;

constexpr int kRepetitions = 5;
constexpr double kSecondsARepetition = 0.1;
constexpr int kMovesAChange = 1000;
constexpr std::size_t kRevisionsHeld = 16;  // the server's max_scene_revisions
constexpr std::size_t kQuestions = 512;
constexpr std::size_t kChecked = 16;
constexpr std::size_t kCheckedOfLevel = 150;  // moves, and as many rays
constexpr const char* kTime = "cpu_ns";

bool is_short = false;
bool has_failed = false;

RigidBodyPtr BodyOf(ShapeOrError shape) {
  return MakeBody(std::get<ConvexShapePtr>(std::move(shape)));
}

// Boxes and hulls of 16 vertices, a metre across, one in three cubic metres on average.
class World {
 public:
  explicit World(int count) : half_side_(std::cbrt(3.0 * count) / 2) {
    shapes_ = {BodyOf(MakeBox({0.3, 0.4, 0.5}, 0))};
    std::vector<double> xyz;
    for (int i = 0; i < 3 * 16; ++i) xyz.push_back(random_.Uniform(-0.5, 0.5));
    shapes_.push_back(BodyOf(MakeHull(xyz, 0)));
    for (int i = 0; i < count; ++i) {
      bodies_.push_back(
          {static_cast<BodyId>(i), shapes_[static_cast<std::size_t>(i % 2)], AnyPose(), {}, 0});
    }
    scene_ = Build();
    for (std::size_t i = 0; i < kQuestions; ++i) {
      asked_.push_back({kAsker, shapes_[0], AnyPose(), {}, 0});
      motions_.push_back({random_.InCube(1), {}, asked_.back().X_WB.p_WS});
    }
  }

  static constexpr BodyId kAsker = 1'000'000;

  ScenePtr Build() const { return std::get<ScenePtr>(Scene::MakeEmpty()->Apply({.put = bodies_})); }

  // A few centimetres each, or anywhere.
  std::vector<BodyPose> Moves(bool anywhere) {
    std::vector<BodyPose> moves;
    for (int i = 0; i < kMovesAChange; ++i) {
      const auto which = static_cast<std::size_t>(random_.Below(static_cast<int>(bodies_.size())));
      Pose pose = bodies_[which].X_WB;
      pose.p_WS = pose.p_WS + random_.InCube(0.05);
      moves.push_back({bodies_[which].id, anywhere ? AnyPose() : pose});
    }
    return moves;
  }

  const ScenePtr& scene() const { return scene_; }
  const std::vector<SceneBody>& bodies() const { return bodies_; }
  const SceneBody& asked(std::size_t i) const { return asked_[i]; }
  const Motion& motion(std::size_t i) const { return motions_[i]; }
  SceneQuery QueryOf(std::size_t i) const {
    return {.scene = *scene_, .bodies = absl::MakeConstSpan(&asked_[i], 1)};
  }
  Ray RayOf(std::size_t i) const {
    return {asked_[i].X_WB.p_WS, 10.0 * motions_[i].displacement, 0, {}};
  }

 private:
  Pose AnyPose() { return {random_.InCube(half_side_), random_.Rotation()}; }

  Random random_{1};
  double half_side_;
  std::vector<RigidBodyPtr> shapes_;
  std::vector<SceneBody> bodies_;
  std::vector<SceneBody> asked_;
  std::vector<Motion> motions_;
  ScenePtr scene_;
};

World& WorldOf(int count) {
  static std::map<int, World> worlds;
  return worlds.try_emplace(count, count).first->second;
}

// "" if a sample of the answers is that of all bodies one by one.
std::string FindFault(const World& world) {
  SceneScratch scratch;
  for (std::size_t i = 0; i < kChecked; ++i) {
    const PosedBody own = {*world.asked(i).body, world.asked(i).X_WB};
    bool touches = false;
    double nearest = HUGE_VAL;
    for (const SceneBody& other : world.bodies()) {
      const PosedBody posed = {*other.body, other.X_WB};
      touches |= Intersection(own, posed).state != State::kSeparated;
      nearest = std::fmin(nearest, Distance(own, posed, {}).bracket.upper);
    }
    const SceneQuery query = world.QueryOf(i);
    if ((CheckScene(query, {}, &scratch).verdict != Verdict::kFree) != touches) return "check";
    if (MinimumDistance(query, {}, &scratch).distance.bracket.upper != nearest)
      return "minimum_distance";
    const SweepAnswer sweep =
        Sweep({query, absl::MakeConstSpan(&world.motion(i), 1)}, {}, &scratch);
    const MovingBody moving = {own.body, own.pose, world.motion(i)};
    if (!IsSame(FirstOneByOne(*world.scene(), moving), sweep)) return "sweep";
    const Ray ray = world.RayOf(i);
    const SweepAnswer hit = CastRay(*world.scene(), ray, RayKind::kClosest, &scratch);
    if (!IsSame(FirstOneByOne(*world.scene(), ray), hit)) return "ray";
  }
  return "";
}

// Runs ask(i) over all questions; counters of the last round are reported per question.
void TimeQuestions(benchmark::State& state, std::size_t count,
                   const std::function<SceneCounters(std::size_t)>& ask) {
  SceneCounters sum;
  std::uint64_t asked = 0;
  while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(count))) {
    for (std::size_t i = 0; i < count; ++i) {
      const SceneCounters counters = ask(i);
      sum.nodes += counters.nodes;
      sum.exact += counters.exact;
    }
    asked += count;
  }
  state.counters["nodes"] = static_cast<double>(sum.nodes) / static_cast<double>(asked);
  state.counters["exact"] = static_cast<double>(sum.exact) / static_cast<double>(asked);
}

using Run = std::function<void(benchmark::State&)>;

void Register(const std::string& name, const Run& run) {
  benchmark::RegisterBenchmark(name.c_str(), [run](benchmark::State& state) { run(state); })
      ->Unit(benchmark::kNanosecond)
      ->MinTime(is_short ? 1e-4 : kSecondsARepetition)
      ->Repetitions(is_short ? 1 : kRepetitions);
}

// A fault ends the benchmark, and the run with 1.
bool IsFaulty(const std::string& fault, benchmark::State* state) {
  if (fault.empty()) return false;
  has_failed = true;
  state->SkipWithError(fault.c_str());
  return true;
}

// As at a server, which holds the newest revisions: memory is not that of the change before, and
// the oldest revision goes with each change.
void TimeHeldMoves(int count, benchmark::State& state) {
  World& world = WorldOf(count);
  std::deque<ScenePtr> held = {world.scene()};
  const auto change = [&](const std::vector<BodyPose>& moves) {
    held.push_back(std::get<ScenePtr>(held.back()->Apply({.move = moves})));
    if (held.size() > kRevisionsHeld) held.pop_front();
  };
  while (held.size() < kRevisionsHeld) change(world.Moves(false));
  for (auto _ : state) {
    state.PauseTiming();
    const std::vector<BodyPose> moves = world.Moves(false);
    state.ResumeTiming();
    change(moves);
  }
}

void RegisterChanges(int count) {
  const std::string size = std::to_string(count);
  Register("build/" + size, [count](benchmark::State& state) {
    const World& world = WorldOf(count);
    if (IsFaulty(FindFault(world), &state)) return;
    for (auto _ : state) benchmark::DoNotOptimize(world.Build());
    const auto bytes = static_cast<double>(world.scene()->byte_size());
    state.counters["bytes_per_body"] = bytes / count;
    state.counters["depth"] = world.scene()->tree_depth();
  });
  for (const bool anywhere : {false, true}) {
    Register((anywhere ? "teleport_1000/" : "move_1000/") + size,
             [count, anywhere](benchmark::State& state) {
               World& world = WorldOf(count);
               ScenePtr scene = world.scene();
               for (auto _ : state) {
                 state.PauseTiming();
                 const std::vector<BodyPose> moves = world.Moves(anywhere);
                 state.ResumeTiming();
                 ScenePtr next = std::get<ScenePtr>(scene->Apply({.move = moves}));
                 state.PauseTiming();
                 scene = std::move(next);
                 state.ResumeTiming();
               }
             });
  }
  Register("move_1000_held/" + size,
           [count](benchmark::State& state) { TimeHeldMoves(count, state); });
  Register("fork/" + size, [count](benchmark::State& state) {
    for (auto _ : state) {
      const ScenePtr fork = WorldOf(count).scene();
      benchmark::DoNotOptimize(fork);
    }
  });
}

void RegisterQuestions(int count) {
  const std::string size = std::to_string(count);
  Register("check/" + size, [count](benchmark::State& state) {
    const World& world = WorldOf(count);
    SceneScratch scratch;
    TimeQuestions(state, kQuestions, [&](std::size_t i) {
      return CheckScene(world.QueryOf(i), {}, &scratch).counters;
    });
  });
  Register("clearance/" + size, [count](benchmark::State& state) {
    const World& world = WorldOf(count);
    SceneScratch scratch;
    TimeQuestions(state, kQuestions, [&](std::size_t i) {
      return MinimumDistance(world.QueryOf(i), {}, &scratch).counters;
    });
  });
  Register("sweep/" + size, [count](benchmark::State& state) {
    const World& world = WorldOf(count);
    SceneScratch scratch;
    TimeQuestions(state, kQuestions, [&](std::size_t i) {
      const MovingSceneQuery moving = {world.QueryOf(i), absl::MakeConstSpan(&world.motion(i), 1)};
      return Sweep(moving, {}, &scratch).counters;
    });
  });
  Register("ray/" + size, [count](benchmark::State& state) {
    const World& world = WorldOf(count);
    SceneScratch scratch;
    TimeQuestions(state, kQuestions, [&](std::size_t i) {
      return CastRay(*world.scene(), world.RayOf(i), RayKind::kClosest, &scratch).counters;
    });
  });
}

struct Played {
  testing::Level level;
  std::vector<testing::PlayerMove> moves;
  std::vector<Vec3d> ways;  // of a ray from each of their places
};

SweepAnswer SweepPlayer(const Played& played, std::size_t i, SceneScratch* scratch) {
  const testing::PlayerMove& move = played.moves[i];
  const SceneBody body = {World::kAsker, played.level.player, {move.center, {}}, {}, 0};
  const Motion motion = {move.delta, {}, move.center};
  const SceneQuery query = {.scene = *played.level.scene, .bodies = absl::MakeConstSpan(&body, 1)};
  return Sweep({query, absl::MakeConstSpan(&motion, 1)}, {}, scratch);
}

SweepAnswer CastFrom(const Played& played, std::size_t i, SceneScratch* scratch) {
  const Ray ray = {played.moves[i].center, played.ways[i], 0, {}};
  return CastRay(*played.level.scene, ray, RayKind::kClosest, scratch);
}

// "" if a sample of the moves and rays is answered as all brushes one by one are.
std::string FindFault(const Played& played) {
  SceneScratch scratch;
  const Scene& scene = *played.level.scene;
  for (std::size_t i = 0; i < played.moves.size(); i += played.moves.size() / kCheckedOfLevel) {
    const testing::PlayerMove& move = played.moves[i];
    const Pose start = {move.center, {}};
    const Motion motion = {move.delta, {}, move.center};
    const MovingBody moving = {*played.level.player, start, motion};
    if (!IsSame(FirstOneByOne(scene, moving), SweepPlayer(played, i, &scratch))) return "a move";
    const Ray ray = {move.center, played.ways[i], 0, {}};
    if (!IsSame(FirstOneByOne(scene, ray), CastFrom(played, i, &scratch))) return "a ray";
  }
  return "";
}

// How long one move takes, of all of them: the processor's time of each by itself.
void TimeEachPlayer(const Played& played, benchmark::State& state) {
  SceneScratch scratch;
  std::vector<double> took;
  for (auto _ : state) {
    for (std::size_t i = 0; i < played.moves.size(); ++i) {
      const double before = ThreadNanoseconds();
      benchmark::DoNotOptimize(SweepPlayer(played, i, &scratch));
      took.push_back(ThreadNanoseconds() - before);
    }
  }
  std::sort(took.begin(), took.end());
  state.counters["p50_ns"] = took[took.size() / 2];
  state.counters["p99_ns"] = took[took.size() / 100 * 99];
}

// Every player's every move, and a ray from each of their places, anywhere.
void RegisterLevel(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) {
    std::printf("%s\n", test::kNoDataSets);
    return;
  }
  const auto played = std::make_shared<Played>();
  played->level = testing::ReadLevel(folder);
  Random random(2);
  for (const auto& [key, move] : played->level.moves) {
    played->moves.push_back(move);
    played->ways.push_back(1000.0 * random.Direction());
  }
  const std::string name = folder.filename().string();
  Register("sweep/" + name, [played](benchmark::State& state) {
    if (IsFaulty(FindFault(*played), &state)) return;
    SceneScratch scratch;
    TimeQuestions(state, played->moves.size(),
                  [&](std::size_t i) { return SweepPlayer(*played, i, &scratch).counters; });
  });
  Register("each_sweep/" + name,
           [played](benchmark::State& state) { TimeEachPlayer(*played, state); });
  Register("ray/" + name, [played](benchmark::State& state) {
    SceneScratch scratch;
    TimeQuestions(state, played->moves.size(),
                  [&](std::size_t i) { return CastFrom(*played, i, &scratch).counters; });
  });
}

class LineReporter final : public benchmark::BenchmarkReporter {
 public:
  explicit LineReporter(Report* report) : report_(report) {}

  bool ReportContext(const Context& /*context*/) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      const std::string name = "scene/" + run.run_name.function_name;
      if (run.error_occurred)
        std::printf("%s: WRONG: %s\n", name.c_str(), run.error_message.c_str());
      if (run.error_occurred || run.run_type != Run::RT_Iteration) continue;
      if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
      report_->Add(name, kTime, run.GetAdjustedCPUTime());
      for (const auto& [metric, value] : run.counters) report_->Add(name, metric, value);
    }
  }

  void Finalize() override {
    std::printf("%-36s%14s%10s%10s%10s%10s%10s\n", "median", "CPU ns", "nodes", "exact", "B/body",
                "p50 ns", "p99 ns");
    for (const std::string& name : names_) {
      const auto value = [&](const char* metric) { return report_->Median(name, metric); };
      std::printf("%-36s%14.0f%10.1f%10.1f%10.0f%10.0f%10.0f\n", name.c_str(), value(kTime),
                  value("nodes"), value("exact"), value("bytes_per_body"), value("p50_ns"),
                  value("p99_ns"));
    }
  }

 private:
  Report* report_;
  std::vector<std::string> names_;
};

int Main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  absl::ParseCommandLine(argc, argv);
  is_short = absl::GetFlag(FLAGS_short);
  for (const int count : {100, 1000, 10'000, 100'000}) {
    if (is_short && count > 1000) continue;
    RegisterChanges(count);
    RegisterQuestions(count);
  }
  for (const char* map : {"map_lq_e1m7", "map_lqdm9", "map_oa_dm2"})
    RegisterLevel(std::filesystem::path(CLEARANCE_DATA) / map);
  Report report;
  LineReporter reporter(&report);
  if (benchmark::RunSpecifiedBenchmarks(&reporter) == 0) return 1;
  const std::string csv = absl::GetFlag(FLAGS_csv);
  if (!csv.empty() && !report.WriteCsv(csv)) {
    std::fprintf(stderr, "cannot write %s\n", csv.c_str());
    return 1;
  }
  if (has_failed) std::fprintf(stderr, "scene_bench: wrong answers\n");
  return has_failed ? 1 : 0;
}

}  // namespace
}  // namespace clearance::bench

int main(int argc, char** argv) { return clearance::bench::Main(argc, argv); }
