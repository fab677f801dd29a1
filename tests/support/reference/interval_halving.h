// SPDX-License-Identifier: Apache-2.0
//
// The time of collision of a translation by interval halving. Over an interval of time B sweeps the
// hull of its places at both ends, so the bodies come within the target distance during it if and
// only if A and the swept B are within it. If they are not, the interval is free. If they are, its
// halves are asked, the earlier one first, until the interval is short.
//
// After C. Ericson, "The Gilbert-Johnson-Keerthi algorithm", 2005. Only the relative motion counts
// (t = t_B - t_A), the swept support follows the sign of d . t, and each query may begin with the
// simplex that the one before ended with.

#pragma once

#include "tests/support/reference/difference_sets.h"

namespace clearance::reference {

// B moves by t * displacement relative to A, t in [0, 1]; sets as at t = 0, without a sweep. The
// cores are looked for within `target` (radii included).
struct Translation {
  DifferenceSets sets;
  Vec3d displacement;
  double target = 0;
};

// The cores' difference while t is in [from, to].
DifferenceSets SweptBetween(const Translation& motion, double from, double to);

// An upper bound of the distance at t, tight to rounding.
double DistanceAt(const Translation& motion, double t);

// The first time within the target lies in [t_low, t_high], if there is one.
struct HalvingResult {
  bool hits = false;
  double t_low = 1;
  double t_high = 1;
  int queries = 0;
  int iterations = 0;  // of GJK, over all queries
};

enum class Start { kCold, kWarm };

inline constexpr double kShortest = 0x1p-24;  // of intervals, a fraction of the motion

HalvingResult HitByHalving(const Translation& motion, Start start);

}  // namespace clearance::reference
