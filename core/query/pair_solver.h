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
#include "core/narrow/scout.h"
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
// them. Stays where it is: its parts refer to each other.
class PosedPair {
 public:
  // Keeps what `a` and `b` refer to.
  PosedPair(const PosedShape& a, const PosedShape& b);
  PosedPair(const PosedPair&) = delete;
  PosedPair& operator=(const PosedPair&) = delete;

  const ShapePair& pair() const { return pair_; }
  const CenterOffset& offset() const { return offset_; }
  // A's axes in the world.
  Mat3<double> axes_a() const { return Transpose(axes_.R_AW); }
  const Difference<double>& difference() const { return difference_; }

  CoreAnswer Solve(const CoreLimits& limits);

  // The same, and with the same bits whatever is guessed of where the cores are nearest: what is
  // reported comes from the closest features alone, or else from the search from a cold start.
  // Requires: limits without a start.
  CoreAnswer SolveCanonically(const CoreLimits& limits);
  // With vertex pairs that may be near the closest features.
  CoreAnswer SolveCanonically(const VertexPairs& start, const CoreLimits& limits);
  // No search: true if the closest features are those of the pairs, and give the answer.
  bool Finish(const VertexPairs& guess, const CoreLimits& limits, CoreAnswer* answer) const;
  // With what Scout found for difference().
  CoreAnswer SolveCanonically(const Scouted& guess, const CoreLimits& limits);

 private:
  bool SolveFrom(const VertexPairs& start, const CoreLimits& limits, CoreAnswer* answer);
  CoreAnswer SolveFromCold(const CoreLimits& limits);
  CoreAnswer Conclude(const GjkResult<double>& found, const CoreLimits& limits);

  const PosedShape a_;
  const PosedShape b_;
  const CenterOffset offset_;
  const ShapePair pair_;
  const RelativeAxes<double> axes_;
  const Placement<double> coarse_;
  Difference<double> difference_;
};

}  // namespace clearance

#endif  // CLEARANCE_CORE_QUERY_PAIR_SOLVER_H_
