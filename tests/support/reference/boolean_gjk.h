// SPDX-License-Identifier: Apache-2.0
//
// The early-out boolean loop: do two bodies share a point? It keeps no distance, only a simplex
// around which the origin closes in, and picks each direction of search by the region of the
// simplex that the origin lies in.
//
// The loop is the popular one (C. Muratori, "Implementing GJK", 2006, and the articles after it).
// Literal ports of those fail in three ways, mended here:
//   - Touching: they answer now true, now false. Here sharing a boundary point is sharing a point:
//     a support with d . w = 0 goes on, only d . w < 0 ends the search.
//   - A zero direction: if the origin lies on the line or in the plane of the simplex, the triple
//     product is 0 and support(0) is the first point. Here that is an answer: on the feature that
//     the region tests have left, the origin is a common point.
//   - No cap on the iterations. Here running out of them is a separate outcome.
// All tests are signs of integers if the coordinates are: on a small lattice the answer is exact.

#pragma once

#include "tests/support/reference/difference_sets.h"

namespace clearance::reference {

enum class Common { kNone, kPoint, kUnknown };

struct BooleanResult {
  Common common = Common::kUnknown;  // kUnknown: the iterations ran out
  int turns = 0;
};

BooleanResult ShareAPoint(const DifferenceSets& sets);

}  // namespace clearance::reference
