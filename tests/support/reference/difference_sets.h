// SPDX-License-Identifier: Apache-2.0
//
// The Minkowski difference A - B of two point sets by its support mapping, for the reference
// solvers: s(d) = s_A(d) - s_B(-d), each by a scan of all points. B may sweep: then it is anywhere
// from its place to its place + `sweep`. The highest point of that is the highest vertex, at the
// end of the sweep if the sweep goes along the direction (the sign of d . t in C. Ericson, "The
// Gilbert-Johnson-Keerthi algorithm", 2005).

#pragma once

#include <vector>

#include "core/math/vec3.h"

namespace clearance::reference {

using Points = std::vector<Vec3d>;

// w = a - b of A's point number index_a and B's number index_b (after the sweep if is_swept).
struct DifferencePoint {
  Vec3d w;
  Vec3d a;
  Vec3d b;
  int index_a = 0;
  int index_b = 0;
  bool is_swept = false;

  bool IsSameAs(const DifferencePoint& other) const {
    return index_a == other.index_a && index_b == other.index_b && is_swept == other.is_swept;
  }
};

// The first point that is highest along d.
int HighestByScan(const Points& points, const Vec3d& d);

// Both sets in one frame, neither empty.
struct DifferenceSets {
  Points a;
  Points b;
  Vec3d sweep{};

  DifferencePoint At(int index_a, int index_b, bool is_swept) const;
  // The highest point of the difference along d.
  DifferencePoint Support(const Vec3d& d) const;
};

// Returns an upper bound of the coordinate sum |x| + |y| + |z| of any difference: the scale of the
// rounding of w and of its products.
double Extent(const DifferenceSets& sets);

}  // namespace clearance::reference
