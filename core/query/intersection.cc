// SPDX-License-Identifier: Apache-2.0

#include "core/query/intersection.h"

#include "core/math/rounding.h"
#include "core/math/tolerance.h"
#include "core/query/exact_decision.h"
#include "core/query/pair_solver.h"

namespace clearance {
namespace {

CoreLimits LimitsOfSign(const ShapePair& pair) {
  CoreLimits limits = LimitsFor(pair, 0.0);
  limits.stop_above = RoundUp(pair.radius_sum);
  limits.stop_below = RoundDown(pair.radius_sum);
  return limits;
}

}  // namespace

IntersectionAnswer Intersection(const PosedShape& a, const PosedShape& b,
                                const IntersectionOptions& options) {
  PosedPair posed(a, b);
  const ShapePair& pair = posed.pair();
  const CoreAnswer core = posed.Solve(LimitsOfSign(pair));
  IntersectionAnswer answer;
  answer.iterations = core.iterations;
  answer.bracket = BodyBracket(pair, core);
  const double distance = (core.distance - pair.radius_sum).hi;
  const double tolerance = ToleranceInMetres(pair, distance);
  Verdict verdict = Classify(answer.bracket, tolerance, core.hit_iteration_limit);
  if (options.exact) DecideAtZero(a, b, &verdict, &answer.bracket);
  answer.state = verdict.state;
  answer.reason = verdict.reason;
  return answer;
}

}  // namespace clearance
