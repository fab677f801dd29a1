// SPDX-License-Identifier: Apache-2.0
//
// The oracle of the sub-distance: the nearest point of a simplex in exact integers. Every subset of
// the points is tried, with Cramer's rule on the Gram matrix of its edges, until one carries a
// point x with positive weights such that no point of the simplex is nearer: x . y >= x . x for all
// y. That condition is the proof of the answer (Kuhn and Tucker, 1951), so the way in which the
// subset was found does not matter.

#pragma once

#include <gmpxx.h>

#include <array>
#include <cstdint>

#include "core/math/vec3.h"
#include "tests/support/reference/point_simplex.h"

namespace clearance::reference {

template <class Integer>
struct IntegerPoint {
  Integer x{};
  Integer y{};
  Integer z{};
};

// v = numerator / denominator, denominator > 0.
template <class Integer>
struct ExactNearest {
  unsigned mask = 0;
  IntegerPoint<Integer> numerator;
  Integer denominator;
};

// Takes up to four points with integer coordinates: of std::int64_t, at most 6 in absolute value,
// so that nothing overflows (x . x stays below 3 (1728 * 6^7)^2 < 2^63).
template <class Integer>
ExactNearest<Integer> NearestExactly(const std::array<IntegerPoint<Integer>, 4>& points, int size);

// Takes any doubles: each coordinate of the result is within a unit in its last place of the truth.
Vec3d NearestExactly(const PointSimplex& simplex);

extern template ExactNearest<std::int64_t> NearestExactly(
    const std::array<IntegerPoint<std::int64_t>, 4>&, int);
extern template ExactNearest<mpz_class> NearestExactly(
    const std::array<IntegerPoint<mpz_class>, 4>&, int);

}  // namespace clearance::reference
