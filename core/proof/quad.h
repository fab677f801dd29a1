// SPDX-License-Identifier: Apache-2.0
//
// 113-bit numbers, in which answers are checked. Products of two doubles are exact in them; sums
// and products of a few such keep at least 2^-100 of their magnitudes. Their exponents reach so
// much farther than a double's that nothing here overflows or underflows. So there is no scaling,
// no normalising, nothing in common with the way the answers were found.

#pragma once

#include <cmath>

#include "core/math/pose.h"
#include "core/math/vec3.h"

namespace clearance {

#if defined(__SIZEOF_FLOAT128__)
// -Wpedantic accepts an extension in a typedef only.
__extension__ typedef __float128 Quad;  // NOLINT(modernize-use-using)
#else
using Quad = long double;
static_assert(__LDBL_MANT_DIG__ >= 113, "this platform has no 113-bit type");
#endif

using QuadVec = Vec3<Quad>;

inline Quad Abs(Quad x) { return x < 0 ? -x : x; }

// Requires: x >= 0 or NaN, which stays NaN. One Newton step doubles the 64 bits.
inline Quad Sqrt(Quad x) {
  if (x <= 0) return 0;
  const Quad root = std::sqrt(static_cast<long double>(x));
  return (root + x / root) / 2;
}

inline Quad Length(const QuadVec& v) { return Sqrt(Dot(v, v)); }

inline QuadVec ToQuad(const Vec3d& v) { return {v.x, v.y, v.z}; }

// A quaternion of any length but 0: the rotation that its direction denotes.
struct QuadTurn {
  QuadVec vector;
  Quad scalar = 1;
};

inline QuadTurn ToQuad(const Quaternion& q) { return {{q.x, q.y, q.z}, q.w}; }

// Applies first `inner`, then `outer`.
inline QuadTurn operator*(const QuadTurn& outer, const QuadTurn& inner) {
  return {
      outer.scalar * inner.vector + inner.scalar * outer.vector + Cross(outer.vector, inner.vector),
      outer.scalar * inner.scalar - Dot(outer.vector, inner.vector)};
}

// Computes a rational function of the quaternion's numbers, without a square root.
inline QuadVec operator*(const QuadTurn& q, const QuadVec& p) {
  const Quad vector_sq = Dot(q.vector, q.vector);
  const Quad scalar_sq = q.scalar * q.scalar;
  const QuadVec turned = (scalar_sq - vector_sq) * p + (2 * Dot(q.vector, p)) * q.vector +
                         (2 * q.scalar) * Cross(q.vector, p);
  return (1 / (scalar_sq + vector_sq)) * turned;
}

}  // namespace clearance
