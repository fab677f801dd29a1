// SPDX-License-Identifier: Apache-2.0
//
// The four reference solvers of the sub-distance, by name.

#pragma once

#include <array>

#include "tests/support/reference/divide_and_conquer.h"
#include "tests/support/reference/johnson.h"
#include "tests/support/reference/point_simplex.h"
#include "tests/support/reference/signed_volumes.h"
#include "tests/support/reference/voronoi.h"

namespace clearance::reference {

struct SubSolver {
  const char* name;
  SubDistance solve;
  // By how many units u of the largest |point| the answer may be off on integers in [-1, 1]. All
  // products are exact there, so that weights are off by three divisions and sums (3u), and v by 8u
  // at most; signed volumes round the foot of the perpendicular first.
  double lattice_units;
  // Weights are ratios of determinants that are off by 64 u extent^p at most and no smaller than
  // (least altitude)^p: the degree p says how fast an answer gets worse with the simplex's shape.
  int degree;
};

inline constexpr std::array<SubSolver, 4> kSubSolvers = {{
    {"johnson", NearestByJohnson, 8, 6},
    {"voronoi", NearestByVoronoi, 8, 4},
    {"signed_volumes", NearestBySignedVolumes, 64, 4},
    {"least_squares", NearestByLeastSquares, 8, 6},
}};

}  // namespace clearance::reference
