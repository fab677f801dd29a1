// SPDX-License-Identifier: Apache-2.0
//
// The loop of Gilbert, Johnson and Keerthi in the seven steps of C. Ericson, "The
// Gilbert-Johnson-Keerthi algorithm", 2005, each a separate function:
//   1. Begin with a set Q of one to d + 1 points of the difference.
//   2. P = the point of least norm of Q's hull.
//   3. If P is the origin, the bodies intersect: stop.
//   4. Reduce Q to the smallest subset Q' whose hull holds P.
//   5. V = the support of the difference along -P.
//   6. If V is no more extreme along -P than P itself, |P| is the distance: stop.
//   7. Add V to Q' and go to 2.
// Steps 2 and 4 are any of this folder's solvers of the sub-distance. In doubles the loop may also
// stop because |P| no longer falls, and it has an iteration cap. The bracket, which always holds,
// tells how far it got:
//     lower = P . V / |P|  <=  distance  <=  upper = |P|,   to rounding.

#pragma once

#include <array>
#include <vector>

#include "tests/support/reference/difference_sets.h"
#include "tests/support/reference/point_simplex.h"

namespace clearance::reference {

// Q: one to four points of the difference.
struct Simplex {
  int size = 0;
  std::array<DifferencePoint, 4> point;

  PointSimplex Points() const;
  bool Contains(const DifferencePoint& candidate) const;
  void Add(const DifferencePoint& added) { point[size++] = added; }
};

// Step 1: the supports along x, y, z and -(x + y + z), `count` of them, each only once.
Simplex BeginCold(const DifferenceSets& sets, int count);
// Step 1 with the Q of an earlier run: the same vertex pairs where they stand now.
Simplex BeginWarm(const DifferenceSets& sets, const Simplex& earlier);
// Step 3, for an origin missed by no more than the rounding of Q's points.
bool IsOrigin(const NearestPoint& nearest, double extent);
// Step 4.
Simplex Reduce(const Simplex& q, unsigned mask);
// Step 6, to the rounding of the two products.
bool IsNoMoreExtreme(const Vec3d& v, const Vec3d& p, double extent);

enum class LoopEnd {
  kIntersecting,    // step 3
  kSeparated,       // step 6
  kStalled,         // |P| fell no more
  kIterationLimit,  // neither
};

struct LoopResult {
  LoopEnd end = LoopEnd::kIterationLimit;
  double lower = 0;
  double upper = 0;
  Vec3d p;             // P = p_a - p_b
  Vec3d p_a;           // the closest point of A
  Vec3d p_b;           // and of B
  Simplex q;           // that holds P
  int iterations = 0;  // supports asked for
};

// One iteration of the loop, for tests to inspect.
struct Turn {
  Simplex q;  // before step 2
  Vec3d p;
  Simplex reduced;
  Vec3d v;  // step 5, if it came to that
};

LoopResult RunGjk(const DifferenceSets& sets, SubDistance solver, const Simplex& start,
                  std::vector<Turn>* trace = nullptr);

}  // namespace clearance::reference
