// SPDX-License-Identifier: Apache-2.0
//
// How long a row computes between two looks at its deadline and its cancellation, over questions
// that are hard by purpose:
//   look_interval [--questions=N] [--vertices=V] [--seed=S] [--nocompounds]
// Lines of kind,bodies,questions,looks,median_ms,longest_ms on standard output, in processor time
// of the thread.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "core/query/body_query.h"
#include "core/query/work_budget.h"
#include "tests/support/body.h"
#include "tests/support/compound.h"
#include "tests/support/large_hulls.h"
#include "tests/support/test_shape.h"

ABSL_FLAG(int, questions, 200, "Of each kind and pair of bodies.");
ABSL_FLAG(int, vertices, 65'536, "Of the large hulls.");
ABSL_FLAG(std::uint64_t, seed, 1, "Of the random poses.");
ABSL_FLAG(bool, compounds, true, "Also bodies of many pieces.");

namespace clearance::bench {
namespace {

using testing::Random;

double ThreadMilliseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

// The times between looks.
class Looks {
 public:
  // Until the work is done, which never is told to stop.
  void During(const std::function<void(WorkBudget*)>& work) {
    last_ = ThreadMilliseconds();
    const auto look = [this] {
      Note();
      return false;
    };
    Pacer pacer(look);
    WorkBudget budget(&pacer);
    work(&budget);
    Note();
    ++questions_;
  }

  void Print(const std::string& kind, const std::string& bodies) {
    std::nth_element(intervals_.begin(), intervals_.begin() + intervals_.size() / 2,
                     intervals_.end());
    std::printf("%s,%s,%d,%zu,%.4f,%.4f\n", kind.c_str(), bodies.c_str(), questions_,
                intervals_.size(), intervals_[intervals_.size() / 2],
                *std::max_element(intervals_.begin(), intervals_.end()));
    std::fflush(stdout);
  }

 private:
  void Note() {
    const double now = ThreadMilliseconds();
    intervals_.push_back(now - last_);
    last_ = ThreadMilliseconds();
  }

  double last_ = 0;
  int questions_ = 0;
  std::vector<double> intervals_;
};

struct NamedBody {
  std::string name;
  RigidBodyPtr body;
};

RigidBodyPtr HullOf(testing::HullFamily family, int vertices, Random& random) {
  return MakeBody(
      testing::MakeShape({.kind = testing::BodyKind::kHull,
                          .points = testing::PointsOf(family, vertices, random.OneIn(2), random),
                          .radius = 0,
                          .pose = {}}));
}

// Thin hulls side by side along the diagonal of their boxes, which boxes and balls cannot part.
RigidBodyPtr Needles(int count) {
  testing::Compound needles;
  for (int i = 0; i < count; ++i) {
    const double across = 0.01 * i;
    needles.pieces.push_back(
        {.kind = testing::BodyKind::kHull,
         .points = {{-1 - across, -1 + across, 0}, {1 - across, 1 + across, 0}},
         .radius = 0,
         .pose = {}});
  }
  return testing::MakeRigidBody(needles);
}

std::vector<NamedBody> Bodies(Random& random) {
  std::vector<NamedBody> bodies;
  for (int family = 0; family < testing::kHullFamilyCount; ++family) {
    const auto kind = static_cast<testing::HullFamily>(family);
    bodies.push_back({Name(kind), HullOf(kind, absl::GetFlag(FLAGS_vertices), random)});
  }
  if (!absl::GetFlag(FLAGS_compounds)) return bodies;
  bodies.push_back({"needles", Needles(256)});
  for (int family = 0; family < testing::kCompoundFamilyCount; ++family) {
    const auto kind = static_cast<testing::CompoundFamily>(family);
    bodies.push_back({"compound" + std::to_string(family),
                      testing::MakeRigidBody(testing::RandomCompound(kind, 256, random))});
  }
  return bodies;
}

// Anywhere, nearly at the same place, side by side, or with faces that are all but parallel.
Pose AnyPose(double size, Random& random) {
  switch (random.Below(6)) {
    case 4:
      return {0.5 * size * random.Direction(), {}};
    case 5:
      return {{0, 0, size * random.Uniform(0, 1)}, random.RotationBy(1e-7)};
    case 0:
      return {random.InCube(1e-12 * size), random.RotationBy(1e-9)};
    case 1:
      return {random.InCube(0.1 * size), random.Rotation()};
    case 2:
      return {size * random.Direction(), random.Rotation()};
    default:
      return {random.InCube(size), random.Rotation()};
  }
}

Motion AnyMotion(double size, Random& random) {
  Motion motion = {.displacement = random.InCube(size), .rotation = {}, .pivot = {}};
  if (random.OneIn(4)) return motion;
  motion.rotation = 3.0 * random.Direction();
  if (random.OneIn(2)) motion.displacement = {};
  return motion;
}

struct Kind {
  const char* name;
  std::function<void(const PosedBody&, const PosedBody&, Random&, WorkBudget*)> ask;
};

void Move(const PosedBody& a, const PosedBody& b, Random& random, WorkBudget* budget) {
  const double size = a.body.bounding_radius() + b.body.bounding_radius();
  const Motion motion_a = AnyMotion(size, random), motion_b = AnyMotion(size, random);
  TimeOfCollision(MovingBody{a.body, a.pose, motion_a}, MovingBody{b.body, b.pose, motion_b},
                  {.budget = budget});
}

std::vector<Kind> Kinds() {
  return {
      {"distance", [](const PosedBody& a, const PosedBody& b, Random&,
                      WorkBudget* budget) { Distance(a, b, {.budget = budget}); }},
      {"exact distance",
       [](const PosedBody& a, const PosedBody& b, Random&, WorkBudget* budget) {
         DepthProof proof;
         Distance(a, b, {.exact = true, .depth_proof = &proof, .budget = budget});
       }},
      {"intersection", [](const PosedBody& a, const PosedBody& b, Random&,
                          WorkBudget* budget) { Intersection(a, b, {.budget = budget}); }},
      {"exact intersection",
       [](const PosedBody& a, const PosedBody& b, Random&, WorkBudget* budget) {
         Intersection(a, b, {.exact = true, .budget = budget});
       }},
      {"time of collision", Move},
  };
}

void Measure() {
  Random random(absl::GetFlag(FLAGS_seed));
  const std::vector<NamedBody> bodies = Bodies(random);
  std::printf("kind,bodies,questions,looks,median_ms,longest_ms\n");
  for (const Kind& kind : Kinds()) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const NamedBody& first = bodies[i];
      const NamedBody& second =
          bodies[(i + static_cast<std::size_t>(random.Below(3))) % bodies.size()];
      const double size = first.body->bounding_radius() + second.body->bounding_radius();
      Looks looks;
      for (int q = 0; q < absl::GetFlag(FLAGS_questions); ++q) {
        const Pose pose_a = {{}, random.OneIn(2) ? random.Rotation() : Quaternion{}};
        const Pose pose_b = AnyPose(size, random);
        looks.During([&](WorkBudget* budget) {
          kind.ask({*first.body, pose_a}, {*second.body, pose_b}, random, budget);
        });
      }
      looks.Print(kind.name, first.name + "+" + second.name);
    }
  }
}

}  // namespace
}  // namespace clearance::bench

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  clearance::bench::Measure();
  return 0;
}
