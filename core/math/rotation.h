// SPDX-License-Identifier: Apache-2.0
//
// Rotation matrices: of a quaternion by its rational formula (no square root, no unit length
// asked), and of a rotation vector by Rodrigues' formula with our own sine and cosine.

#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/math/double_double.h"
#include "core/math/pose.h"
#include "core/math/vec3.h"

namespace clearance {

template <class T>
struct Mat3 {
  Vec3<T> row_x, row_y, row_z;
};

template <class T>
constexpr Mat3<T> IdentityMatrix() {
  return {{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}};
}

template <class T>
constexpr Vec3<T> operator*(const Mat3<T>& m, const Vec3<T>& v) {
  return {Dot(m.row_x, v), Dot(m.row_y, v), Dot(m.row_z, v)};
}

template <class T>
constexpr Mat3<T> Transpose(const Mat3<T>& m) {
  return {{m.row_x.x, m.row_y.x, m.row_z.x},
          {m.row_x.y, m.row_y.y, m.row_z.y},
          {m.row_x.z, m.row_y.z, m.row_z.z}};
}

template <class T>
constexpr Mat3<T> operator*(const Mat3<T>& a, const Mat3<T>& b) {
  const Mat3<T> columns = Transpose(b);
  return {columns * a.row_x, columns * a.row_y, columns * a.row_z};
}

// True if q denotes the identity exactly.
constexpr bool IsIdentity(const Quaternion& q) { return q.x == 0 && q.y == 0 && q.z == 0; }

// The same, of length 1 and without a negative zero: its matrix in double is IdentityMatrix, to the
// last bit.
constexpr bool IsPlainIdentity(const Quaternion& q) {
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  return (bits(q.x) | bits(q.y) | bits(q.z)) == 0 && (q.w == 1 || q.w == -1);
}

// R(q / |q|), as the rational matrix of q divided by |q|^2. Requires: |q| not far from 1. In double
// every entry is off by at most 9u; in DoubleDouble by at most 16u^2.
template <class T>
constexpr Mat3<T> RotationMatrix(const Quaternion& q) {
  // Most of what stands has never been turned, and all that follows would wait for a quotient.
  if constexpr (std::is_same_v<T, double>) {
    if (IsPlainIdentity(q)) return IdentityMatrix<double>();
  }
  const T x(q.x), y(q.y), z(q.z), w(q.w);
  const T xx = x * x, yy = y * y, zz = z * z, ww = w * w;
  const T xy = x * y, xz = x * z, yz = y * z, wx = w * x, wy = w * y, wz = w * z;
  const T norm_sq = xx + yy + zz + ww;
  const T scale = T(1) / norm_sq;
  const T twice = scale + scale;
  return {{(ww + xx - yy - zz) * scale, (xy - wz) * twice, (xz + wy) * twice},
          {(xy + wz) * twice, (ww - xx + yy - zz) * scale, (yz - wx) * twice},
          {(xz - wy) * twice, (yz + wx) * twice, (ww - xx - yy + zz) * scale}};
}

// The length and the direction of a rotation vector, however small; the direction of 0 is 0.
double RotationAngle(const Vec3d& rotation);
Vec3d RotationAxis(const Vec3d& rotation);

// Exp(rotation): the rotation by |rotation| radians about its direction. As an operator it is off
// by at most (kRotationVectorError + kRotationAngleError * |rotation|) u: the entries' own rounding
// and the axis', and that of the angle. Requires: |rotation| <= kMaxRotation.
Mat3<double> RotationVectorMatrix(const Vec3d& rotation);
inline constexpr double kRotationVectorError = 48;
inline constexpr double kRotationAngleError = 6;

// The rotation vector of the shortest turn from one orientation to another, radians; its length is
// in [0, pi].
Vec3d ShortestRotation(const Quaternion& from, const Quaternion& to);

}  // namespace clearance
