// SPDX-License-Identifier: Apache-2.0
//
// What all queries on two shapes share: common units, the two roads to the cores' distance one
// after the other, the radii, and the one classifier of states.

#ifndef CLEARANCE_CORE_QUERY_PAIR_SOLVER_H_
#define CLEARANCE_CORE_QUERY_PAIR_SOLVER_H_

#include "core/math/double_double.h"
#include "core/narrow/core_distance.h"
#include "core/narrow/difference.h"
#include "core/narrow/placement.h"
#include "core/query/distance.h"

namespace clearance {

// tau for a pair at this distance (units), in metres: at least kLeastTolerance.
double ToleranceInMetres(const ShapePair& pair, double distance);

// Limits for which the sign of the bodies' distance less `margin` (units) is what has to be
// decided.
CoreLimits LimitsFor(const ShapePair& pair, const DoubleDouble& margin);

// The bracket of the bodies, metres: the cores' less the radii, rounded outwards. Requires: a
// solver's answer, whose bracket is finite.
Bracket BodyBracket(const ShapePair& pair, const CoreAnswer& core);

// State and reason of a bracket, tau and bracket in metres.
struct Verdict {
  State state = State::kUndecided;
  UndecidedReason reason = UndecidedReason::kNone;
};
Verdict Classify(const Bracket& bracket, double tolerance, bool hit_iteration_limit);

// SolveFast on `coarse`, and where that does not decide SolvePrecisely on what `fine` makes.
template <class MakeFine>
CoreAnswer SolveCores(const ShapePair& pair, const Placement<double>& coarse, MakeFine fine,
                      const CoreLimits& limits) {
  CoreAnswer answer;
  Difference<double> difference(pair, coarse);
  if (SolveFast(difference, limits, &answer)) return answer;
  const Placement<DoubleDouble> precise = fine();
  Difference<DoubleDouble> fine_difference(pair, precise);
  SolvePrecisely(fine_difference, limits, &answer);
  return answer;
}

// Two posed shapes in common units and placed relative to each other, once for all that is asked of
// them.
class PosedPair {
 public:
  // Keeps what `a` and `b` refer to.
  PosedPair(const PosedShape& a, const PosedShape& b);

  const ShapePair& pair() const { return pair_; }
  const CenterOffset& offset() const { return offset_; }

  CoreAnswer Solve(const CoreLimits& limits) const;

  // The same from a cold start, and with the same bits from any: what is reported comes from the
  // closest features alone, or else from the cold search. Requires: limits without a start.
  CoreAnswer SolveCanonically(const CoreLimits& limits) const;
  CoreAnswer SolveCanonically(const Simplex<double>& start, const CoreLimits& limits) const;

 private:
  CoreAnswer Conclude(Difference<double>& difference, const GjkResult<double>& found,
                      const CoreLimits& limits) const;
  CoreAnswer SolveFromCold(Difference<double>& difference, const CoreLimits& limits) const;

  const PosedShape a_;
  const PosedShape b_;
  const CenterOffset offset_;
  const ShapePair pair_;
  const Placement<double> coarse_;
};

}  // namespace clearance

#endif  // CLEARANCE_CORE_QUERY_PAIR_SOLVER_H_
