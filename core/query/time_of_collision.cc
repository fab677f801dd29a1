// SPDX-License-Identifier: Apache-2.0

#include "core/query/time_of_collision.h"

#include <algorithm>
#include <cmath>

#include "core/math/rotation.h"
#include "core/math/rounding.h"
#include "core/math/tolerance.h"
#include "core/narrow/core_distance.h"
#include "core/query/pair_solver.h"
#include "core/query/relative_motion.h"

namespace clearance {
namespace {

using Dd = DoubleDouble;

Vec3d Normalized(const Vec3d& v) {
  const double norm = std::sqrt(NormSquared(v));
  return {v.x / norm, v.y / norm, v.z / norm};
}

// At most a + b. Requires: 0 <= b, a + b <= 2.
double SumDown(double a, double b) { return RoundDown(TwoSum(a, b)); }

// One search along one motion.
class Search {
 public:
  Search(const MovingShape& a, const MovingShape& b, const MotionOptions& options)
      : motion_(a, b),
        pair_(motion_.pair()),
        limits_(LimitsFor(pair_, ScaleUp(options.target_distance, -pair_.exponent))),
        goal_(limits_.decide_at),
        tolerance_(std::fmax(Tolerance(limits_.size_sum, ToDouble(goal_)),
                             ScaleUp(kLeastTolerance, -pair_.exponent))) {}

  TimeOfCollisionAnswer Run() {
    if (!motion_.IsInRange()) return Undecided(0, UndecidedReason::kPrecision);
    if (motion_.is_translation() && IsFreeBySweep()) return Free();
    double t = 0;
    for (int step = 0; step < kMaxMotionSteps; ++step) {
      const CoreAnswer core = SolveAt(t);
      if (!(core.lower > goal_)) return Arrive(t, core);
      const double rest = NextUp(1 - t);  // reaches 1 however 1 - t is rounded
      const double proved = motion_.ProvedStep(t, core, goal_, rest);
      if (proved >= rest) return Free();
      const double next = SumDown(t, proved);
      if (next <= t) return Arrive(t, core);
      t = next;
    }
    return Undecided(t, UndecidedReason::kIterations);
  }

 private:
  // Both shapes free of each other wherever B is along its way relative to A: one separating plane
  // for all times.
  bool IsFreeBySweep() {
    const Placement<double> swept = motion_.Swept();
    Difference<double> difference(pair_, swept);
    CoreLimits limits = limits_;
    limits.stop_above = RoundUp(goal_);
    CoreAnswer answer;
    ++answer_.iterations;
    return SolveFast(difference, limits, &answer) && answer.lower > goal_;
  }

  CoreAnswer SolveAt(double t) {
    ++answer_.iterations;
    const auto fine = [&] { return motion_.FineAt(t); };
    CoreLimits limits = limits_;
    limits.start = &warm_;
    const CoreAnswer core = SolveCores(pair_, motion_.CoarseAt(t), fine, limits);
    warm_ = core.simplex;
    if (warm_.size == 4) warm_.size = 0;
    return core;
  }

  // Free before t, and rounding lets no proof go farther: the bodies are within the goal and the
  // tolerance at t, or, if they are fast, a few steps of the clock later.
  TimeOfCollisionAnswer Arrive(double t, const CoreAnswer& core) {
    if (t == 0 && IsWithin(core)) {
      answer_.state = MotionState::kInitiallyOverlapping;
      return answer_;
    }
    const bool is_apart = core.lower > Dd(0.0);
    double t_hit = t;
    CoreAnswer at_hit = core;
    bool is_within = IsWithin(core);
    for (double wait = NextUp(t) - t; !is_within && is_apart && wait <= kLongestWait; wait *= 2) {
      t_hit = std::fmin(t + wait, 1);
      at_hit = SolveAt(t_hit);
      is_within = IsWithin(at_hit);
    }
    if (!is_within) {
      return Undecided(
          t, core.hit_iteration_limit ? UndecidedReason::kIterations : UndecidedReason::kPrecision);
    }
    answer_.state = MotionState::kHit;
    answer_.t_free = t;
    answer_.t_hit = t_hit;
    // Where the bodies overlap at t_hit already, the closest points are those of the last free
    // time.
    const bool has_points = at_hit.kind == CoreAnswer::Kind::kSeparated;
    SetContact(has_points ? t_hit : t, has_points ? at_hit : core);
    return answer_;
  }

  bool IsWithin(const CoreAnswer& core) const { return core.upper <= goal_ + Dd(tolerance_); }

  void SetContact(double t, const CoreAnswer& core) {
    const Mat3<double> R_WA = motion_.AxesOfA(t);
    answer_.n_AB = Normalized(R_WA * core.n_A);
    const double unit = std::ldexp(1.0, pair_.exponent);
    const double distance = std::ldexp(ToDouble(core.distance - RadiusSum(pair_)), pair_.exponent);
    answer_.p_WA =
        motion_.CenterOfA(t) + R_WA * (unit * core.witness.p_A) + pair_.a.radius() * answer_.n_AB;
    answer_.p_WB = answer_.p_WA + std::fmax(distance, 0) * answer_.n_AB;
  }

  TimeOfCollisionAnswer Free() {
    answer_.state = MotionState::kFree;
    answer_.t_free = 1;
    answer_.t_hit = 1;
    return answer_;
  }

  TimeOfCollisionAnswer Undecided(double t, UndecidedReason reason) {
    answer_.state = MotionState::kUndecided;
    answer_.reason = reason;
    answer_.t_free = t;
    answer_.t_hit = 1;
    return answer_;
  }

  const RelativeMotion motion_;
  const ShapePair& pair_;
  const CoreLimits limits_;
  const Dd goal_;
  const double tolerance_;
  Simplex<double> warm_;
  TimeOfCollisionAnswer answer_;
};

}  // namespace

EndPoseFault MotionToEndPose(const Pose& start, const Pose& end, Motion* motion) {
  motion->displacement = end.p_WS - start.p_WS;
  motion->rotation = ShortestRotation(start.q_WS, end.q_WS);
  motion->pivot = start.p_WS;
  const double angle_rad = std::sqrt(NormSquared(motion->rotation));
  return angle_rad > kHalfTurn - kHalfTurnSlack ? EndPoseFault::kAmbiguous : EndPoseFault::kNone;
}

bool IsMotionRepresentable(double bounding_radius, const Pose& start, const Motion& motion) {
  const auto largest = [](const Vec3d& v) {
    return std::max({std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)});
  };
  const double reach =
      largest(start.p_WS) + largest(motion.pivot) + largest(motion.displacement) + bounding_radius;
  return std::isfinite(16 * reach);
}

TimeOfCollisionAnswer TimeOfCollision(const MovingShape& a, const MovingShape& b,
                                      const MotionOptions& options) {
  return Search(a, b, options).Run();
}

}  // namespace clearance
