// SPDX-License-Identifier: Apache-2.0

#include "core/query/pair_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/math/assert.h"
#include "core/math/power_of_two.h"
#include "core/math/rounding.h"
#include "core/math/tolerance.h"
#include "core/narrow/box_projection.h"
#include "core/narrow/box_sat.h"
#include "core/narrow/closest_features.h"
#include "core/narrow/gjk_batch.h"
#include "core/narrow/placement.h"

namespace clearance {

double ToleranceInMetres(const ShapePair& pair, double distance) {
  return std::fmax(ScaleUp(Tolerance(pair.size_sum, distance), pair.exponent), kMinTolerance);
}

double LeastToleranceInUnits(const ShapePair& pair) {
  const int exponent = ExponentOf(kMinTolerance) - 1;
  return std::max(AnyPowerOfTwo(exponent - pair.exponent),
                  std::numeric_limits<double>::denorm_min());
}

CoreLimits LimitsFor(const ShapePair& pair, const DoubleDouble& margin) {
  CoreLimits limits;
  limits.decide_at = margin == DoubleDouble() ? pair.radius_sum : pair.radius_sum + margin;
  limits.size_sum = pair.size_sum;
  limits.max_iterations = kMaxIterations;
  if (pair.is_curved()) limits.good_enough = kCurvedGap * kRoundoff * limits.size_sum;
  return limits;
}

Bracket BodyBracketInUnits(const ShapePair& pair, const CoreAnswer& core) {
  const DoubleDouble radii = pair.radius_sum;
  if (radii == DoubleDouble()) return {RoundDown(core.lower), RoundUp(core.upper)};
  // Rounding of the sums of radii and of the differences here; sums of two radii that are doubles
  // are exact.
  const DoubleDouble rounding = kDoubleDoubleRoundoff * std::fabs(radii.hi);
  return {RoundDown(core.lower - radii - rounding), RoundUp(core.upper - radii + rounding)};
}

Bracket BodyBracket(const ShapePair& pair, const CoreAnswer& core) {
  const Bracket units = BodyBracketInUnits(pair, core);
  return {ScaleDown(units.lower, pair.exponent), ScaleUp(units.upper, pair.exponent)};
}

Classification Classify(const Bracket& bracket, double tolerance, bool hit_iteration_limit) {
  if (bracket.lower > 0) return {State::kSeparated};
  if (bracket.upper < 0) return {State::kPenetrating};
  if (bracket.lower >= -tolerance && bracket.upper <= tolerance) return {State::kTouching};
  return {State::kUndecided,
          hit_iteration_limit ? UndecidedReason::kIterations : UndecidedReason::kPrecision};
}

namespace {

// Names of vertices, whose points are yet to be found.
Simplex<double> SimplexOf(const VertexPairs& pairs) {
  Simplex<double> simplex;
  simplex.size = pairs.size;
  for (int i = 0; i < pairs.size; ++i) {
    simplex.vertex[i].a = pairs.a[i];
    simplex.vertex[i].b = pairs.b[i];
  }
  return simplex;
}

// True if a guess is worth its time: it is not if a scan of a few vertices costs no more in double
// precision.
bool IsWorthGuessing(const ShapePair& pair) {
  return !pair.is_curved() && (pair.a.has_adjacency() || pair.b.has_adjacency());
}

}  // namespace

CenteredPair::CenteredPair(const PosedShape& shape_a, const PosedShape& shape_b, Pacer* pacer)
    : a(shape_a),
      b(shape_b),
      offset(ComputeCenterOffset(a, b)),
      pair(MakeShapePair(a.shape, b.shape, LeastExponent(a, b, offset), pacer)) {}

bool CenteredPair::SetIfFar(const CoreLimits& limits, CoreAnswer* answer) const {
  const BallBounds bounds = BoundByBalls(pair, a, b, offset);
  const DoubleDouble lower = DoubleDouble(bounds.gap) + pair.radius_sum;
  if (!(bounds.gap > 0) || !(lower > limits.stop_above)) return false;
  answer->kind = CoreAnswer::Kind::kAbove;
  answer->lower = lower;
  answer->upper = DoubleDouble(bounds.reach) + pair.radius_sum;
  return true;
}

PosedPair::PosedPair(const CenteredPair& centered, const RelativeAxes<double>& axes)
    : centered_(centered),
      R_AW_(axes.R_AW),
      coarse_(MakePlacement<double>(pair(), axes, offset())),
      difference_(pair(), coarse_) {}

PosedPair::PosedPair(const CenteredPair& centered)
    : PosedPair(centered, MakeAxes<double>(centered.pair, centered.a, centered.b)) {}

PosedPair::PosedPair(const CenteredPair& centered, const PlacementRows& rows, std::size_t i)
    : centered_(centered),
      R_AW_(rows.RotationAW(i)),
      coarse_(rows.PlacementAt(i)),
      difference_(pair(), coarse_) {}

// Returns the answer that follows from a search.
CoreAnswer PosedPair::Conclude(const GjkResult<double>& found, const CoreLimits& limits) {
  CoreAnswer answer;
  if (TakeSearch(difference_, found, limits, &answer)) return answer;
  const auto precise = MakePlacement<DoubleDouble>(pair(), centered_.a, centered_.b, offset());
  MinkowskiDifference<DoubleDouble> fine(pair(), precise);
  SolvePrecisely(fine, limits, &answer);
  return answer;
}

CoreAnswer PosedPair::Solve(const CoreLimits& limits) {
  return Conclude(SearchFast(difference_, limits), limits);
}

bool PosedPair::Finish(const VertexPairs& guess, const CoreLimits& limits,
                       CoreAnswer* answer) const {
  return FinishFromFeatures(difference_, FeaturesOf(guess), limits, answer);
}

FeatureGuess PosedPair::GuessAlone(const CoreLimits& limits) const {
  FeatureGuess guess;
  const GuessTask task = {&difference_, limits.stop_above};
  GjkBatch({&task, 1}, {&guess, 1});
  return guess;
}

bool PosedPair::SolveInside(const FeatureGuess& guess, const CoreLimits& limits,
                            CoreAnswer* answer) {
  if (guess.end != FeatureGuess::End::kEncloses) return false;
  if (!TakeTetrahedron(difference_, guess.pairs, limits, answer)) return false;
  answer->iterations = guess.iterations;
  return true;
}

// Features that are taken at once spare writing down what the search itself would answer. A search
// before this one may have left its vertices to climb from: no support depends on where its climb
// begins.
//
// A guess that encloses the origin gives the depth if it is proved, also if it comes after the
// search here: a pair has one answer whether it was guessed at first or not. None can be proved of
// cores that are proved apart.
CoreAnswer PosedPair::SolveFromCold(bool was_guessed, const CoreLimits& limits) {
  const GjkResult<double> found = SearchFast(difference_, limits);
  const bool has_features = !pair().is_curved();
  const bool is_first =
      has_features && found.end == GjkEnd::kConverged && IsTight(difference_, found, limits);
  CoreAnswer answer;
  if (is_first && FinishFromFeatures(difference_, FeaturesOf(found.simplex), limits, &answer)) {
    answer.iterations = found.iterations;
    return answer;
  }
  const bool is_apart =
      found.end != GjkEnd::kEnclosed && found.lower > difference_.rounding_error();
  const bool may_be_inside = has_features && !was_guessed && !is_apart;
  if (may_be_inside && SolveInside(GuessAlone(limits), limits, &answer)) return answer;
  answer = Conclude(found, limits);
  if (!is_first && has_features && answer.kind == CoreAnswer::Kind::kSeparated)
    FinishFromFeatures(difference_, FeaturesOf(answer.simplex), limits, &answer);
  return answer;
}

// A search that begins near its end. False if its answer is not the one to report.
bool PosedPair::SolveFrom(const VertexPairs& start, const CoreLimits& limits, CoreAnswer* answer) {
  const Simplex<double> simplex = SimplexOf(start);
  CoreLimits warm = limits;
  warm.start = &simplex;
  warm.wants_depth = false;  // that of the cold search is reported
  *answer = Conclude(SearchFast(difference_, warm), warm);
  if (answer->kind == CoreAnswer::Kind::kAbove) return true;
  return answer->kind == CoreAnswer::Kind::kSeparated &&
         FinishFromFeatures(difference_, FeaturesOf(answer->simplex), limits, answer);
}

bool PosedPair::SolveBoxes(const CoreLimits& limits, CoreAnswer* answer) const {
  if (!AreBoxes(pair())) return false;
  FeatureGuess guess;
  const GuessTask task = {&difference_, limits.stop_above};
  ProjectBoxes({&task, 1}, {&guess, 1});
  if (guess.end != FeatureGuess::End::kNearest || !Finish(guess.pairs, limits, answer))
    return false;
  answer->iterations = guess.iterations;
  return true;
}

CoreAnswer PosedPair::SolveCanonically(const CoreLimits& limits) {
  CLEARANCE_ASSERT(limits.start == nullptr);
  CoreAnswer answer;
  if (SolveBoxes(limits, &answer)) return answer;
  if (!IsWorthGuessing(pair())) return SolveFromCold(false, limits);
  const FeatureGuess guess = GuessAlone(limits);
  if (guess.end == FeatureGuess::End::kNearest && Finish(guess.pairs, limits, &answer)) {
    answer.iterations = guess.iterations;
    return answer;
  }
  SolveWithoutFeatures(guess, limits, &answer);
  return answer;
}

CoreAnswer PosedPair::SolveCanonically(const VertexPairs& start, const CoreLimits& limits) {
  CoreAnswer answer;
  if (Finish(start, limits, &answer)) return answer;
  return SolveFrom(start, limits, &answer) ? answer : SolveFromCold(false, limits);
}

void PosedPair::SolveWithoutFeatures(const FeatureGuess& guess, const CoreLimits& limits,
                                     CoreAnswer* answer) {
  if (guess.end == FeatureGuess::End::kBeyond && SolveFrom(guess.pairs, limits, answer)) return;
  if (SolveInside(guess, limits, answer)) return;
  *answer = SolveFromCold(true, limits);
}

}  // namespace clearance
