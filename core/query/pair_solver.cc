// SPDX-License-Identifier: Apache-2.0

#include "core/query/pair_solver.h"

#include <algorithm>
#include <cmath>

#include "core/math/power_of_two.h"
#include "core/math/rounding.h"
#include "core/math/tolerance.h"
#include "core/narrow/feature_pair.h"
#include "core/narrow/placement.h"

namespace clearance {

DoubleDouble RadiusSum(const ShapePair& pair) {
  const auto radius = [&pair](const ConvexShape& shape) {
    return DoubleDouble(TimesPowerOfTwo(shape.radius(), -pair.exponent),
                        TimesPowerOfTwo(shape.radius_low(), -pair.exponent));
  };
  return radius(pair.a) + radius(pair.b);
}

double SizeSum(const ShapePair& pair) { return pair.radius_a + pair.radius_b + RadiusSum(pair).hi; }

double ToleranceInMetres(const ShapePair& pair, double distance) {
  return std::fmax(ScaleUp(Tolerance(SizeSum(pair), distance), pair.exponent), kLeastTolerance);
}

CoreLimits LimitsFor(const ShapePair& pair, const DoubleDouble& margin) {
  CoreLimits limits;
  limits.decide_at = RadiusSum(pair) + margin;
  limits.size_sum = SizeSum(pair);
  limits.max_iterations = kMaxIterations;
  if (pair.is_curved()) limits.good_enough = kCurvedGap * kRoundoff * limits.size_sum;
  return limits;
}

Bracket BodyBracket(const ShapePair& pair, const CoreAnswer& core) {
  const DoubleDouble radii = RadiusSum(pair);
  // Of the sums of radii and of the differences here; sums of two radii that are doubles are exact.
  const DoubleDouble rounding = kDoubleDoubleRoundoff * std::fabs(radii.hi);
  return {ScaleDown(RoundDown(core.lower - radii - rounding), pair.exponent),
          ScaleUp(RoundUp(core.upper - radii + rounding), pair.exponent)};
}

Verdict Classify(const Bracket& bracket, double tolerance, bool hit_iteration_limit) {
  if (bracket.lower > 0) return {State::kSeparated};
  if (bracket.upper < 0) return {State::kPenetrating};
  if (bracket.lower >= -tolerance && bracket.upper <= tolerance) return {State::kTouching};
  return {State::kUndecided,
          hit_iteration_limit ? UndecidedReason::kIterations : UndecidedReason::kPrecision};
}

ShapePair PairOf(const PosedShape& a, const PosedShape& b) {
  const CenterOffset offset = ComputeCenterOffset(a, b);
  const int reach = Exponent(ToDouble(offset.p_AcBc_W));
  return MakeShapePair(a.shape, b.shape,
                       reach == kNoExponent ? kNoExponent : reach + offset.exponent);
}

namespace {

class PosedSolver {
 public:
  PosedSolver(const ShapePair& pair, const PosedShape& a, const PosedShape& b)
      : pair_(pair),
        a_(a),
        b_(b),
        offset_(ComputeCenterOffset(a, b)),
        coarse_(MakePlacement<double>(pair, a, b, offset_)) {}

  CoreAnswer Solve(const CoreLimits& limits) const {
    const auto fine = [&] { return MakePlacement<DoubleDouble>(pair_, a_, b_, offset_); };
    return SolveCores(pair_, coarse_, fine, limits);
  }

  bool Finish(const CoreLimits& limits, CoreAnswer* answer) const {
    if (answer->kind != CoreAnswer::Kind::kSeparated || pair_.is_curved()) return false;
    const Difference<double> difference(pair_, coarse_);
    return FinishFromFeatures(difference, FeaturesOf(answer->simplex), limits, answer);
  }

 private:
  const ShapePair& pair_;
  const PosedShape& a_;
  const PosedShape& b_;
  const CenterOffset offset_;
  const Placement<double> coarse_;
};

}  // namespace

CoreAnswer SolvePosed(const ShapePair& pair, const PosedShape& a, const PosedShape& b,
                      const CoreLimits& limits) {
  return PosedSolver(pair, a, b).Solve(limits);
}

CoreAnswer SolveCanonically(const ShapePair& pair, const PosedShape& a, const PosedShape& b,
                            const CoreLimits& limits) {
  const PosedSolver solver(pair, a, b);
  CoreLimits first = limits;
  if (limits.start != nullptr) first.wants_depth = false;  // that of the cold search is reported
  CoreAnswer answer = solver.Solve(first);
  if (answer.kind == CoreAnswer::Kind::kAbove || solver.Finish(limits, &answer)) return answer;
  if (limits.start == nullptr) return answer;
  CoreLimits cold = limits;
  cold.start = nullptr;
  answer = solver.Solve(cold);
  solver.Finish(cold, &answer);
  return answer;
}

}  // namespace clearance
