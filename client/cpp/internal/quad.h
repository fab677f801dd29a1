// SPDX-License-Identifier: Apache-2.0
//
// Vectors of 113-bit numbers, in which answers are checked. A double holds 53 bits, so sums and
// products of doubles, and rotations by quaternions of doubles, keep at least 2^-100 of their
// magnitude: far below what is being checked.

#pragma once

#include <cmath>

#include "clearance/shape.h"

namespace clearance::client {

#if defined(__SIZEOF_FLOAT128__)
// -Wpedantic accepts an extension in a typedef only.
__extension__ typedef __float128 Quad;  // NOLINT(modernize-use-using)
#else
using Quad = long double;
static_assert(__LDBL_MANT_DIG__ >= 113, "this platform has no 113-bit type");
#endif

// Relative to the sum of the magnitudes that enter: more than all rounding of one check together.
inline constexpr double kQuadSlack = 0x1p-96;

inline Quad Abs(Quad x) { return x < 0 ? -x : x; }

// Requires: x >= 0 or NaN, which stays NaN.
inline Quad Sqrt(Quad x) {
  if (x <= 0) return 0;
  const Quad root = std::sqrt(static_cast<long double>(x));
  return (root + x / root) / 2;  // one step of Newton's doubles the 64 bits
}

struct QuadVec {
  Quad x = 0;
  Quad y = 0;
  Quad z = 0;

  friend QuadVec operator+(const QuadVec& a, const QuadVec& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend QuadVec operator-(const QuadVec& a, const QuadVec& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend QuadVec operator*(Quad s, const QuadVec& a) { return {s * a.x, s * a.y, s * a.z}; }
};

inline Quad Dot(const QuadVec& a, const QuadVec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

inline QuadVec Cross(const QuadVec& a, const QuadVec& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

inline Quad Length(const QuadVec& a) { return Sqrt(Dot(a, a)); }

inline QuadVec ToQuad(const double* xyz) { return {xyz[0], xyz[1], xyz[2]}; }

// R(q / |q|) p, as a rational of the quaternion's numbers: no square root.
inline QuadVec Rotate(const Pose& pose, const QuadVec& p) {
  const QuadVec u{pose.qx, pose.qy, pose.qz};
  const Quad w = pose.qw;
  const Quad length_sq = Dot(u, u) + w * w;
  const QuadVec scaled = (w * w - Dot(u, u)) * p + (2 * Dot(u, p)) * u + (2 * w) * Cross(u, p);
  return (1 / length_sq) * scaled;
}

}  // namespace clearance::client
