// SPDX-License-Identifier: Apache-2.0
//
// Three numbers: a point or a vector of a frame that the variable's name tells. A plain struct and
// free functions, the same for double and for DoubleDouble, so that a search in double and its
// finish in double-double read alike.

#pragma once

#include <algorithm>
#include <cmath>

#include "core/math/power_of_two.h"

namespace clearance {

template <class T>
struct Vec3 {
  T x{};
  T y{};
  T z{};

  friend bool operator==(const Vec3&, const Vec3&) = default;
};

using Vec3d = Vec3<double>;

template <class T>
constexpr Vec3<T> operator+(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

template <class T>
constexpr Vec3<T> operator-(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

template <class T>
constexpr Vec3<T> operator-(const Vec3<T>& a) {
  return {-a.x, -a.y, -a.z};
}

template <class T>
constexpr Vec3<T> operator*(const T& s, const Vec3<T>& a) {
  return {s * a.x, s * a.y, s * a.z};
}

template <class T>
constexpr T Dot(const Vec3<T>& a, const Vec3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class T>
constexpr Vec3<T> Cross(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class T>
constexpr T NormSquared(const Vec3<T>& a) {
  return Dot(a, a);
}

// The square must neither overflow nor underflow: work in the units of a pair.
inline double Norm(const Vec3d& a) { return std::sqrt(NormSquared(a)); }

// Requires: a length other than 0, and as Norm.
inline Vec3d Normalized(const Vec3d& a) {
  const double norm = Norm(a);
  return {a.x / norm, a.y / norm, a.z / norm};
}

// a * 2^exponent, exact but for underflow and overflow.
inline Vec3d Scaled(const Vec3d& a, int exponent) {
  if (IsNormalPower(exponent)) return NormalPowerOfTwo(exponent) * a;
  return {TimesPowerOfTwo(a.x, exponent), TimesPowerOfTwo(a.y, exponent),
          TimesPowerOfTwo(a.z, exponent)};
}

// The largest |coordinate|.
inline double LargestCoordinate(const Vec3d& v) {
  return std::max({std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)});
}

// The exponent e for which 2^(e - 1) <= LargestCoordinate(v) < 2^e; kNoExponent of 0.
inline constexpr int kNoExponent = -4096;
inline int Exponent(const Vec3d& v) {
  const double largest = LargestCoordinate(v);
  return largest > 0 ? ExponentOf(largest) : kNoExponent;
}

}  // namespace clearance
