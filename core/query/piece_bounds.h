// SPDX-License-Identifier: Apache-2.0
//
// Lower bounds on the signed distances of pairs of pieces from the balls around them, and the order
// in which the pairs of two compounds are asked. The nearest by its bound is first, so that its
// answer rules out most of the others. All rounding lies inside the bounds.

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/math/assert.h"
#include "core/math/rotation.h"
#include "core/math/vec3.h"
#include "core/query/body_query.h"
#include "core/query/work_budget.h"

namespace clearance {

// Two ids; ordered by A's, then by B's.
struct PiecePair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;

  friend auto operator<=>(const PiecePair&, const PiecePair&) = default;
};

// A unit of length: 2^exponent metres, exactly, as is its inverse.
struct LengthUnit {
  explicit LengthUnit(int exponent);
  double metres = 1;
  double per_metre = 1;
};

// Bounds for two bodies that stand still. Anything that separates two balls separates their
// contents, so the balls' signed distance bounds that of the pieces also if these overlap.
class StandingBounds {
 public:
  // Keeps references.
  StandingBounds(const PosedBody& a, const PosedBody& b);

  const RigidBody& a() const { return a_; }
  const RigidBody& b() const { return b_; }

  // The ball of a piece of B in frame A, units.
  Ball Place(std::uint32_t piece_b) const;

  // At most the signed distance of the piece of A, or of any piece of A, from the piece in that
  // ball, metres.
  double Bound(std::uint32_t piece_a, const Ball& ball_b) const;
  double BoundOfAll(const Ball& ball_b) const;

 private:
  const RigidBody& a_;
  const RigidBody& b_;
  LengthUnit unit_;
  Mat3<double> R_AB_;
  Vec3d p_AB_;
  double error_ = 0;  // of a bound
};

// Bounds for two bodies in motion, over all times in [0, 1], or until a time that may be brought
// nearer.
class MovingBounds {
 public:
  // Keeps references.
  MovingBounds(const MovingBody& a, const MovingBody& b);

  const RigidBody& a() const { return a_.body; }
  const RigidBody& b() const { return b_.body; }

  // A ball that holds the piece of B at all times, but for B's displacement; from A's origin at t =
  // 0, world axes, units.
  Ball Place(std::uint32_t piece_b) const { return Sweep(b_, b_.body.balls()[piece_b]); }

  // At most the least signed distance of the piece of A, or of any piece of A, from the piece in
  // that ball, metres.
  double Bound(std::uint32_t piece_a, const Ball& ball_b) const;
  double BoundOfAll(const Ball& ball_b) const;

  // Only times in [0, t] matter from here on. Requires: 0 <= t <= 1.
  void EndAt(double t) {
    CLEARANCE_ASSERT(0 <= t && t <= 1);
    t_end_ = t;
  }

 private:
  // At t = 0, world axes, units.
  struct Mover {
    const RigidBody& body;
    Mat3<double> R_W;
    Vec3d pivot;   // from A's origin
    Vec3d origin;  // of the body, from the pivot
    Vec3d displacement;
    Vec3d axis;  // unit; 0 if there is no rotation
    double angle_rad = 0;
  };

  Mover MakeMover(const MovingBody& moving, const Vec3d& origin_A) const;
  Ball Sweep(const Mover& mover, const Ball& ball) const;
  double Bound(const Ball& ball_a, const Ball& ball_b) const;

  LengthUnit unit_;
  Mover a_;
  Mover b_;
  double error_ = 0;  // of a bound
  double t_end_ = 1;
};

// The pair with the least bound, of equal ones the one met first.
struct BoundedPair {
  PiecePair pair;
  double bound = std::numeric_limits<double>::infinity();
};

// The nearest of the pairs that were looked at before the budget ended. A null budget never ends.
template <class Bounds>
BoundedPair FindNearestPair(const Bounds& bounds, WorkBudget* budget) {
  BoundedPair nearest;
  const std::size_t pieces_a = bounds.a().pieces().size();
  for (std::uint32_t b = 0; b < bounds.b().pieces().size(); ++b) {
    const Ball ball = bounds.Place(b);
    if (bounds.BoundOfAll(ball) > nearest.bound) continue;
    if (budget != nullptr && !budget->Take(kVerticesABound * pieces_a)) break;
    for (std::uint32_t a = 0; a < pieces_a; ++a) {
      const double bound = bounds.Bound(a, ball);
      if (bound < nearest.bound) nearest = {{a, b}, bound};
    }
  }
  return nearest;
}

// Shows the visitor every pair whose bound it wants, the one with the least bound first:
//     bool Wants(double bound)       false: nothing as far away as this matters
//     bool Take(const PiecePair&)    false: stop
// Ends early if the budget does, which the visitor looks at, too.
template <class Bounds, class Visitor>
void VisitPairs(const Bounds& bounds, WorkBudget* budget, Visitor* visitor) {
  const BoundedPair nearest = FindNearestPair(bounds, budget);
  if (budget != nullptr && budget->has_ended()) return;
  if (!visitor->Wants(nearest.bound) || !visitor->Take(nearest.pair)) return;
  const std::size_t pieces_a = bounds.a().pieces().size();
  for (std::uint32_t b = 0; b < bounds.b().pieces().size(); ++b) {
    const Ball ball = bounds.Place(b);
    if (!visitor->Wants(bounds.BoundOfAll(ball))) continue;
    if (budget != nullptr && !budget->Take(kVerticesABound * pieces_a)) return;
    for (std::uint32_t a = 0; a < pieces_a; ++a) {
      const PiecePair pair = {a, b};
      if (pair == nearest.pair || !visitor->Wants(bounds.Bound(a, ball))) continue;
      if (!visitor->Take(pair)) return;
    }
  }
}

}  // namespace clearance
