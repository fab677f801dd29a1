// SPDX-License-Identifier: Apache-2.0

#include "core/query/time_of_collision.h"

#include <cmath>
#include <limits>
#include <optional>

#include "core/math/power_of_two.h"
#include "core/math/rotation.h"
#include "core/math/rounding.h"
#include "core/math/tolerance.h"
#include "core/narrow/closest_features.h"
#include "core/narrow/core_distance.h"
#include "core/narrow/portal.h"
#include "core/query/contact_plane.h"
#include "core/query/pair_solver.h"
#include "core/query/relative_motion.h"

namespace clearance {
namespace {

using Dd = DoubleDouble;

// Returns at most a + b. Requires: 0 <= b, a + b <= 2.
double SumDown(double a, double b) { return RoundDown(TwoSum(a, b)); }

// One search along one motion.
class Search {
 public:
  // `cast`: the result of the ray of DecideByRay; null: not cast yet.
  Search(const MovingShape& a, const MovingShape& b, const MotionOptions& options,
         const PortalResult* cast)
      : a_(a),
        b_(b),
        options_(options),
        cast_(cast),
        motion_(a, b, PacerOf(options.budget)),
        pair_(motion_.pair()),
        limits_(LimitsFor(pair_, ScaleUp(options.target_distance, -pair_.exponent))),
        goal_(limits_.decide_at),
        tolerance_(MotionTolerance(pair_, ToDouble(goal_))),
        vertices_a_solve_(VerticesOfDistance(a.shape.vertex_count() + b.shape.vertex_count())) {}

  // Answers the question. If the budget ends first, tells only until when the shapes are free.
  TimeOfCollisionAnswer Run() {
    const TimeOfCollisionAnswer found = Find();
    if (found.state == MotionState::kFree || !HasEnded(options_.budget)) return found;
    auto answer = Ended<TimeOfCollisionAnswer>(*options_.budget, found.iterations);
    answer.t_free = found.t_free;
    answer.t_hit = 1;
    answer.t_leave = found.t_leave;
    return answer;
  }

 private:
  TimeOfCollisionAnswer Find() {
    if (options_.proof != nullptr) *options_.proof = {};
    if (!motion_.IsInRange()) return Undecided(0, UndecidedReason::kPrecision);
    if (options_.budget != nullptr && !options_.budget->Take(kDistancesAWay * vertices_a_solve_))
      return Undecided(0, UndecidedReason::kWork);
    if (motion_.is_translation()) {
      if (DecideByRay()) return answer_;
      if (IsFreeBySweep()) return Free();
    }
    return AdvanceFrom(0, SolveAt(0));
  }

  // Conservative advancement from a time for which the bodies' distance is known.
  TimeOfCollisionAnswer AdvanceFrom(double t, CoreAnswer core) {
    for (int step = 0; step < kMaxMotionSteps && !HasEnded(options_.budget); ++step) {
      if (!(core.lower > goal_)) return Arrive(t, core);
      const double rest = NextUp(1 - t);  // reaches 1 however 1 - t is rounded
      const double proved = motion_.ProvedStep(t, core, goal_, rest);
      const double next = proved >= rest ? 1 : SumDown(t, proved);
      if (next <= t) return Arrive(t, core);
      Record(t, next, Normalized(motion_.AxesOfA(t) * core.n_A));
      if (proved >= rest) return Free();
      t = next;
      core = SolveAt(t);
    }
    return Undecided(t, UndecidedReason::kIterations);
  }

  void Record(double t_begin, double t_end, const Vec3d& n_W) {
    MotionProof* const proof = options_.proof;
    if (proof == nullptr) return;
    proof->is_truncated = proof->size == MotionProof::kCapacity;
    if (proof->is_truncated) return;
    proof->intervals[proof->size++] = {t_begin, t_end, n_W};
  }

  // Answers for bodies in contact at the start.
  TimeOfCollisionAnswer LeaveOrOverlap() {
    const DistanceAnswer contact =
        Distance({a_.shape, a_.start, a_.local}, {b_.shape, b_.start, b_.local},
                 {.budget = options_.budget});
    if (options_.ignore_initial_contact) {
      const Dd nearest = ScaleDown(contact.bracket.lower, -pair_.exponent);
      answer_.t_leave = TimeOfLeaving(ToDouble(nearest + pair_.radius_sum - goal_));
      if (answer_.t_leave > 0) return AdvanceFrom(answer_.t_leave, SolveAt(answer_.t_leave));
    }
    answer_.state = MotionState::kInitiallyOverlapping;
    answer_.distance = contact.distance;
    answer_.p_WA = contact.p_WA;
    answer_.p_WB = contact.p_WB;
    answer_.n_AB = contact.n_AB;
    return answer_;
  }

  // Returns a time by which the bodies are apart, along a normal along which they are never nearer
  // before than `nearest` (units, less the goal; to the tolerance); 0 if there is none. A bound of
  // the gap that is concave in time and holds at both ends holds between them.
  double TimeOfLeaving(double nearest) {
    double t = kLongestWait;
    while (t <= 1 && !HasEnded(options_.budget)) {
      const CoreAnswer core = SolveAt(t);
      if (core.lower > goal_ + Dd(tolerance_)) {
        const RelativeMotion::GapBounds gap =
            motion_.GapFromStart(motion_.AxesOfA(t) * core.n_A, goal_, t);
        if (gap.now >= nearest - tolerance_ && gap.later > tolerance_) return t;
      }
      t *= 2;
    }
    return 0;
  }

  // Polytopes that touch at the end of their gap touch in the facet of A - B that the ray of B's
  // path relative to A meets: its plane gives the time and proves the path up to there. Returns
  // false if the ray does not decide, and then nothing is answered.
  bool DecideByRay() {
    if (goal_ != Dd(0.0) || pair_.is_curved()) return false;
    ++answer_.iterations;
    const Placement<double> start = motion_.CoarseAt(0);
    MinkowskiDifference<double> difference(pair_, start);
    const Vec3d ray_A = motion_.ClosingInA();
    const double error = difference.rounding_error() + motion_.ClosingError();
    std::optional<PortalResult> own;
    const PortalResult& cast =
        cast_ != nullptr ? *cast_ : own.emplace(SearchPortal(difference, ray_A));
    if (cast.end == PortalResult::End::kMiss)
      return cast_ == nullptr && IsMiss(difference, ray_A, cast.n_A, error);
    return cast.end == PortalResult::End::kFacet && HitsFacet(difference, ray_A, cast, error);
  }

  bool IsMiss(MinkowskiDifference<double>& difference, const Vec3d& ray_A, const Vec3d& n_A,
              double error) {
    if (!IsProvedMiss(difference, ray_A, n_A, error)) return false;
    Record(0, 1, Normalized(motion_.AxesOfA(0) * n_A));
    Free();
    return true;
  }

  bool HitsFacet(const MinkowskiDifference<double>& difference, const Vec3d& ray_A,
                 const PortalResult& cast, double error) {
    const auto& [p, q, r] = cast.vertex;
    const FeaturePair features = {FeatureVertices::Of(p.a, q.a, r.a),
                                  FeatureVertices::Of(p.b, q.b, r.b)};
    ContactPlane plane;
    if (!FindContactPlane(motion_.Translating(), features, &plane)) return false;
    const double t = plane.FreeUntil();
    if (!(t > 0 && t < 1) || !IsAheadOfAll(difference, features, plane.n_W)) return false;
    if (!IsContact(cast, t * ray_A, error)) return false;
    Record(0, t, plane.n_W);
    SetFacetContact(cast, plane, t);
    return true;
  }

  // True if no vertex but the features' own is as near to the other body as these, along n.
  bool IsAheadOfAll(const MinkowskiDifference<double>& difference, const FeaturePair& features,
                    const Vec3d& n_W) const {
    const Features whole = Whole(pair_, features);
    const double margin = kPlaneMargin * difference.extent();
    const Vec3d n_A = Transpose(motion_.AxesOfA(0)) * n_W;
    return StandsOut(pair_.a, whole.a, n_A, margin / pair_.scale_a) &&
           StandsOut(pair_.b, whole.b, difference.rotation_BA() * -n_A, margin / pair_.scale_b);
  }

  // True if the point that the weights make of the vertices, moved, is one where the bodies touch.
  bool IsContact(const PortalResult& cast, const Vec3d& moved_A, double error) const {
    Vec3d w = -moved_A;
    for (std::size_t i = 0; i < cast.vertex.size(); ++i) {
      w = w + cast.weight[i] * cast.vertex[i].w;
    }
    return Norm(w) + 2 * error <= tolerance_;
  }

  void SetFacetContact(const PortalResult& cast, const ContactPlane& plane, double t) {
    answer_.state = MotionState::kHit;
    answer_.t_free = t;
    answer_.t_hit = t;
    answer_.n_AB = plane.n_W;
    answer_.distance = TimesPowerOfTwo(std::fmax(plane.GapAt(t), 0), pair_.exponent);
    Vec3d p_A;
    for (std::size_t i = 0; i < cast.vertex.size(); ++i) {
      p_A = p_A + cast.weight[i] * cast.vertex[i].p_A;
    }
    SetPoints(t, p_A);
  }

  // Sets both points from that of A's core, in the units and axes of A, along the normal.
  void SetPoints(double t, const Vec3d& p_A) {
    const double unit = TimesPowerOfTwo(1.0, pair_.exponent);
    answer_.p_WA =
        motion_.CenterOfA(t) + motion_.AxesOfA(t) * (unit * p_A) + pair_.a.radius() * answer_.n_AB;
    answer_.p_WB = answer_.p_WA + answer_.distance * answer_.n_AB;
  }

  // Returns whether both shapes are free of each other wherever B is along its path relative to A:
  // one separating plane for all times. If there is none, the search at the start goes on from
  // here.
  bool IsFreeBySweep() {
    const Placement<double> swept = motion_.Swept();
    MinkowskiDifference<double> difference(pair_, swept);
    CoreLimits limits = limits_;
    limits.stop_above = RoundUp(goal_);
    ++answer_.iterations;
    const GjkResult<double> found = SearchFast(difference, limits);
    if (found.end != GjkEnd::kEnclosed &&
        Dd(found.lower) - Dd(difference.rounding_error()) > goal_) {
      Record(0, 1, Normalized(motion_.AxesOfA(0) * -found.v));
      return true;
    }
    KeepStart(found.simplex);
    return false;
  }

  // Keeps the simplex that the next search begins with. One around the origin tells nothing of
  // where to look.
  void KeepStart(const Simplex<double>& simplex) {
    warm_ = simplex;
    for (MinkowskiVertex<double>& vertex : warm_.vertex) vertex.is_swept = false;
    if (warm_.size == 4) warm_.size = 0;
  }

  CoreAnswer SolveAt(double t) {
    ++answer_.iterations;
    if (options_.budget != nullptr) options_.budget->Take(vertices_a_solve_);
    CoreLimits limits = limits_;
    limits.start = &warm_;
    const Placement<double> coarse = motion_.CoarseAt(t);
    MinkowskiDifference<double> difference(pair_, coarse);
    CoreAnswer core;
    if (!SolveCoarsely(difference, t, limits, &core)) {
      const Placement<Dd> precise = motion_.FineAt(t);
      MinkowskiDifference<Dd> fine_difference(pair_, precise);
      SolvePrecisely(fine_difference, limits, &core);
    }
    KeepStart(core.simplex);
    return core;
  }

  // Solves in double, which tells nothing of bodies that all but touch: there its search ends at
  // once. Returns false if it does not decide.
  bool SolveCoarsely(MinkowskiDifference<double>& difference, double t, CoreLimits limits,
                     CoreAnswer* answer) const {
    if (motion_.is_translation() && t > 0)
      limits.stop_below = ToDouble(goal_) + kCoarseReach * limits.size_sum;
    CoreAnswer core;
    const bool is_decided = SolveFast(difference, limits, &core);
    if (is_decided && core.kind != CoreAnswer::Kind::kBelow) {
      *answer = core;
      return true;
    }
    answer->simplex = core.simplex;
    answer->iterations = core.iterations;
    return false;
  }

  // Free before t, and rounding lets no proof go farther: the bodies are within the goal and the
  // tolerance at t, or, if they are fast, a few steps of the clock later.
  TimeOfCollisionAnswer Arrive(double t, const CoreAnswer& core) {
    if (t == 0 && IsWithin(core)) return LeaveOrOverlap();
    const bool is_apart = core.lower > Dd(0.0);
    double t_hit = t;
    CoreAnswer at_hit = core;
    bool is_within = IsWithin(core);
    double wait = std::fmax(NextUp(t) - t, ShortestWait());
    for (; !is_within && is_apart && wait <= kLongestWait; wait *= 2) {
      t_hit = std::fmin(t + wait, 1);
      at_hit = SolveAt(t_hit);
      is_within = IsWithin(at_hit);
    }
    if (!is_within) {
      return Undecided(
          t, core.hit_iteration_limit ? UndecidedReason::kIterations : UndecidedReason::kPrecision);
    }
    // If the bodies overlap at t_hit already, even if only with their radii, the closest points are
    // those of the last free time.
    const bool has_points = at_hit.kind == CoreAnswer::Kind::kSeparated &&
                            at_hit.distance + Dd(tolerance_) >= pair_.radius_sum;
    SetContact(has_points ? t_hit : t, has_points ? at_hit : core);
    answer_.state = MotionState::kHit;
    answer_.t_free = t;
    answer_.t_hit = t_hit;
    return answer_;
  }

  // A power of two, at most kLongestWait.
  double ShortestWait() const {
    constexpr double kMin = std::numeric_limits<double>::denorm_min();
    const double wait = kShortestWaitPath * tolerance_ / motion_.LongestPath();
    const double bounded = std::fmax(std::fmin(wait, kLongestWait), kMin);
    return AnyPowerOfTwo(clearance::ExponentOf(bounded) - 1);
  }

  bool IsWithin(const CoreAnswer& core) const { return core.upper <= goal_ + Dd(tolerance_); }

  void SetContact(double t, const CoreAnswer& core) {
    answer_.n_AB = Normalized(motion_.AxesOfA(t) * core.n_A);
    const double distance =
        TimesPowerOfTwo(ToDouble(core.distance - pair_.radius_sum), pair_.exponent);
    answer_.distance = std::fmax(distance, 0);
    SetPoints(t, core.witness.p_A);
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

  const MovingShape& a_;
  const MovingShape& b_;
  const MotionOptions& options_;
  const PortalResult* const cast_;
  RelativeMotion motion_;
  const ShapePair& pair_;
  const CoreLimits limits_;
  const Dd goal_;
  const double tolerance_;
  const std::uint64_t vertices_a_solve_;
  Simplex<double> warm_;
  TimeOfCollisionAnswer answer_;
};

}  // namespace

EndPoseFault MotionToEndPose(const Pose& start, const Pose& end, Motion* motion) {
  motion->displacement = end.p_WS - start.p_WS;
  motion->rotation = ShortestRotation(start.q_WS, end.q_WS);
  motion->pivot = start.p_WS;
  const double angle_rad = Norm(motion->rotation);
  return angle_rad > kPi - kHalfTurnSlack ? EndPoseFault::kAmbiguous : EndPoseFault::kNone;
}

bool IsMotionRepresentable(double bounding_radius, const Pose& start, const Motion& motion) {
  const double reach = LargestCoordinate(start.p_WS) + LargestCoordinate(motion.pivot) +
                       LargestCoordinate(motion.displacement) + bounding_radius;
  return std::isfinite(16 * reach);
}

TimeOfCollisionAnswer TimeOfCollision(const MovingShape& a, const MovingShape& b,
                                      const MotionOptions& options) {
  return Search(a, b, options, nullptr).Run();
}

TimeOfCollisionAnswer TimeOfCollisionAfterPortal(const TimeOfCollisionQuestion& question,
                                                 const PortalResult& cast) {
  return Search(question.a, question.b, question.options, &cast).Run();
}

}  // namespace clearance
