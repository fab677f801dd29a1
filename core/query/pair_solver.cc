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

double ToleranceInMetres(const ShapePair& pair, double distance) {
  return std::fmax(ScaleUp(Tolerance(pair.size_sum, distance), pair.exponent), kLeastTolerance);
}

CoreLimits LimitsFor(const ShapePair& pair, const DoubleDouble& margin) {
  CoreLimits limits;
  limits.decide_at = pair.radius_sum + margin;
  limits.size_sum = pair.size_sum;
  limits.max_iterations = kMaxIterations;
  if (pair.is_curved()) limits.good_enough = kCurvedGap * kRoundoff * limits.size_sum;
  return limits;
}

Bracket BodyBracket(const ShapePair& pair, const CoreAnswer& core) {
  const DoubleDouble radii = pair.radius_sum;
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

namespace {

ShapePair PairOf(const PosedShape& a, const PosedShape& b, const CenterOffset& offset) {
  const int reach = Exponent(ToDouble(offset.p_AcBc_W));
  return MakeShapePair(a.shape, b.shape,
                       reach == kNoExponent ? kNoExponent : reach + offset.exponent);
}

// True if the closest features alone give the answer.
bool Finish(const Difference<double>& difference, const CoreLimits& limits, CoreAnswer* answer) {
  if (answer->kind != CoreAnswer::Kind::kSeparated || difference.pair().is_curved()) return false;
  return FinishFromFeatures(difference, FeaturesOf(answer->simplex), limits, answer);
}

}  // namespace

PosedPair::PosedPair(const PosedShape& a, const PosedShape& b)
    : a_(a),
      b_(b),
      offset_(ComputeCenterOffset(a, b)),
      pair_(PairOf(a, b, offset_)),
      coarse_(MakePlacement<double>(pair_, a, b, offset_)) {}

// What follows from a search.
CoreAnswer PosedPair::Conclude(Difference<double>& difference, const GjkResult<double>& found,
                               const CoreLimits& limits) const {
  CoreAnswer answer;
  if (TakeSearch(difference, found, limits, &answer)) return answer;
  const auto precise = MakePlacement<DoubleDouble>(pair_, a_, b_, offset_);
  Difference<DoubleDouble> fine(pair_, precise);
  SolvePrecisely(fine, limits, &answer);
  return answer;
}

CoreAnswer PosedPair::Solve(const CoreLimits& limits) const {
  Difference<double> difference(pair_, coarse_);
  return Conclude(difference, SearchFast(difference, limits), limits);
}

// Features that are taken at once spare writing down what the search itself would answer. A search
// before this one may have left its vertices to climb from: no support depends on where its climb
// begins.
CoreAnswer PosedPair::SolveFromCold(Difference<double>& difference,
                                    const CoreLimits& limits) const {
  const GjkResult<double> found = SearchFast(difference, limits);
  const bool is_first =
      found.end == GjkEnd::kConverged && !pair_.is_curved() && IsTight(difference, found, limits);
  CoreAnswer answer;
  if (is_first && FinishFromFeatures(difference, FeaturesOf(found.simplex), limits, &answer)) {
    answer.simplex = found.simplex;
    answer.iterations = found.iterations;
    return answer;
  }
  answer = Conclude(difference, found, limits);
  if (!is_first) Finish(difference, limits, &answer);
  return answer;
}

CoreAnswer PosedPair::SolveCanonically(const CoreLimits& limits) const {
  Difference<double> difference(pair_, coarse_);
  return SolveFromCold(difference, limits);
}

CoreAnswer PosedPair::SolveCanonically(const Simplex<double>& start,
                                       const CoreLimits& limits) const {
  CoreLimits warm = limits;
  warm.start = &start;
  warm.wants_depth = false;  // that of the cold search is reported
  Difference<double> difference(pair_, coarse_);
  CoreAnswer answer = Conclude(difference, SearchFast(difference, warm), warm);
  if (answer.kind == CoreAnswer::Kind::kAbove || Finish(difference, limits, &answer)) return answer;
  return SolveFromCold(difference, limits);
}

}  // namespace clearance
