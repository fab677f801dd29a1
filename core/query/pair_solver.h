// SPDX-License-Identifier: Apache-2.0
//
// The common parts of all queries on two shapes: common units, the two paths to the cores' distance
// one after the other, the radii, and the one classifier of states.

#pragma once

#include <cstddef>

#include "core/math/double_double.h"
#include "core/narrow/core_distance.h"
#include "core/narrow/gjk_batch.h"
#include "core/narrow/minkowski_difference.h"
#include "core/narrow/placement.h"
#include "core/narrow/placement_rows.h"
#include "core/query/distance.h"

namespace clearance {

// Returns tau for a pair at this distance (units), in metres: at least kMinTolerance.
double ToleranceInMetres(const ShapePair& pair, double distance);

// kMinTolerance in units, rounded up.
double LeastToleranceInUnits(const ShapePair& pair);

// Limits for which the sign of the bodies' distance less `margin` (units) is what must be
// decided.
CoreLimits LimitsFor(const ShapePair& pair, const DoubleDouble& margin);

// The bracket of the bodies, units: the cores' less the radii, rounded outwards.
Bracket BodyBracketInUnits(const ShapePair& pair, const CoreAnswer& core);

// The same in metres. Requires: a solver's answer, whose bracket is finite.
Bracket BodyBracket(const ShapePair& pair, const CoreAnswer& core);

// State and reason of a bracket, tau and bracket in metres.
struct Classification {
  State state = State::kUndecided;
  UndecidedReason reason = UndecidedReason::kNone;
};
Classification Classify(const Bracket& bracket, double tolerance, bool hit_iteration_limit);

// From the body's origin to the shape's, world axes.
inline Vec3d LocalOrigin(const PosedShape& posed) {
  if (posed.local.p_WS == Vec3d{}) return {};
  return RotationMatrix<double>(posed.pose.q_WS) * posed.local.p_WS;
}

// The facts about two posed shapes before anything turns: common units and the offset of their
// centres. Keeps references.
struct CenteredPair {
  // `pacer` as ShapePair has it.
  CenteredPair(const PosedShape& a, const PosedShape& b, Pacer* pacer = nullptr);

  // True if the balls around the bodies are farther apart than limits.stop_above, and then the
  // answer says so.
  bool SetIfFar(const CoreLimits& limits, CoreAnswer* answer) const;

  const PosedShape a;
  const PosedShape b;
  const CenterOffset offset;
  const ShapePair pair;
};

// Two posed shapes in common units and placed relative to each other, once for all that is asked of
// them. Stays where it is: its parts refer to each other.
class PosedPair {
 public:
  // Keeps a reference.
  explicit PosedPair(const CenteredPair& centered);
  // The same for the pair that is number i of the rows.
  PosedPair(const CenteredPair& centered, const PlacementRows& rows, std::size_t i);
  PosedPair(const PosedPair&) = delete;
  PosedPair& operator=(const PosedPair&) = delete;

  const ShapePair& pair() const { return centered_.pair; }
  const CenterOffset& offset() const { return centered_.offset; }
  const PosedShape& shape_a() const { return centered_.a; }
  // A's axes in the world, and the inverse.
  Mat3<double> axes_a() const { return Transpose(R_AW_); }
  const Mat3<double>& rotation_AW() const { return R_AW_; }
  const MinkowskiDifference<double>& difference() const { return difference_; }

  CoreAnswer Solve(const CoreLimits& limits);

  // The same, and with the same bits whatever guess is made of where the cores are nearest: the
  // result comes from the closest features alone, or else from the search from a cold start.
  // Requires: limits without a start.
  CoreAnswer SolveCanonically(const CoreLimits& limits);
  // With vertex pairs that may be near the closest features.
  CoreAnswer SolveCanonically(const VertexPairs& start, const CoreLimits& limits);
  // No search: true if the closest features are those of the pairs, and give the answer.
  bool Finish(const VertexPairs& guess, const CoreLimits& limits, CoreAnswer* answer) const;
  // With what GjkBatch found for difference(), if Finish did not answer from its vertex pairs.
  // `answer` may hold another pair's.
  void SolveWithoutFeatures(const FeatureGuess& guess, const CoreLimits& limits,
                            CoreAnswer* answer);

 private:
  PosedPair(const CenteredPair& centered, const RelativeAxes<double>& axes);

  // True if both are boxes whose closest features are the guessed ones.
  bool SolveBoxes(const CoreLimits& limits, CoreAnswer* answer) const;
  bool SolveFrom(const VertexPairs& start, const CoreLimits& limits, CoreAnswer* answer);
  // `was_guessed`: a guess was made for these limits, and led to no answer.
  CoreAnswer SolveFromCold(bool was_guessed, const CoreLimits& limits);
  // True if a guess holds the origin, and is the start of the search for the depth.
  bool SolveInside(const FeatureGuess& guess, const CoreLimits& limits, CoreAnswer* answer);
  FeatureGuess GuessAlone(const CoreLimits& limits) const;
  CoreAnswer Conclude(const GjkResult<double>& found, const CoreLimits& limits);

  const CenteredPair& centered_;
  const Mat3<double> R_AW_;
  const Placement<double> coarse_;
  MinkowskiDifference<double> difference_;
};

}  // namespace clearance
