// SPDX-License-Identifier: Apache-2.0
//
// Bounds of the signed distance of two bodies that a direction, a few points or the checker's own
// search prove. With w = b - a, points of B - A, and n of any length but 0:
//     min n.w / |n| - r_A - r_B  <=  distance                  two supports, any n
//     distance  <=  |w| - r_A - r_B                            one point w of the difference
//     distance  <=  -r - r_A - r_B                             points w around a ball of radius r
//                                                              about the origin
// All of them are rigorous: rounding is taken off to the safe side (kProofRoundoff).

#pragma once

#include <array>
#include <limits>

#include "core/proof/proof_body.h"
#include "core/proof/quad.h"

namespace clearance {

// lower <= signed distance <= upper, metres.
struct ProvedBounds {
  Quad lower = -std::numeric_limits<double>::infinity();
  Quad upper = std::numeric_limits<double>::infinity();
};

// Points b - a of the cores of two bodies.
struct DifferencePoints {
  static constexpr int kCapacity = 12;
  int size = 0;
  std::array<QuadVec, kCapacity> point;
};

// Returns a lower bound of the distance of any two points of the bodies, by their supports along n.
Quad ProvedGap(const ProofBody& a, const ProofBody& b, const QuadVec& n);

// Returns more than the rounding of any value that is computed from points of both bodies.
Quad ProofSlack(const ProofBody& a, const ProofBody& b);

// lower <= radius of the largest ball about the origin inside the hull of the points <= upper. The
// radius is negative by how far the origin is outside of one of its planes; no point is off by more
// than `error`. If lower > 0, the origin is proved to be strictly inside. If upper <= 0, it is
// proved not to be, or the points are in one plane to rounding. By brute force over all triples.
struct InnerRadius {
  Quad lower = 0;
  Quad upper = 0;
};
InnerRadius ComputeInnerRadius(const DifferencePoints& differences, Quad error);

// Searches for the bounds independently of any answer: P. Wolfe, "Finding the nearest point in a
// polytope", 1976. The upper bound ends within `good_enough` of the lower one unless the cores
// overlap (then nothing is known below) or the search gets stuck, which its bounds show.
ProvedBounds SearchBounds(const ProofBody& a, const ProofBody& b, Quad good_enough);

// Returns at least the distance of a point from the core of a body, and at most `good_enough` more
// unless the search gets stuck; stops as soon as it is below `good_enough`.
Quad DistanceFromCore(const ProofBody& body, const QuadVec& point, Quad good_enough);

}  // namespace clearance
