// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/exact_simplex.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace clearance::reference {
namespace {

template <class Integer>
IntegerPoint<Integer> operator+(const IntegerPoint<Integer>& a, const IntegerPoint<Integer>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

template <class Integer>
IntegerPoint<Integer> operator-(const IntegerPoint<Integer>& a, const IntegerPoint<Integer>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

template <class Integer>
IntegerPoint<Integer> operator*(const Integer& s, const IntegerPoint<Integer>& a) {
  return {s * a.x, s * a.y, s * a.z};
}

template <class Integer>
Integer Dot(const IntegerPoint<Integer>& a, const IntegerPoint<Integer>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

// The determinant of the matrix with these columns.
template <class Integer>
Integer Determinant(const std::array<IntegerPoint<Integer>, 3>& c) {
  return c[0].x * (c[1].y * c[2].z - c[1].z * c[2].y) -
         c[1].x * (c[0].y * c[2].z - c[0].z * c[2].y) +
         c[2].x * (c[0].y * c[1].z - c[0].z * c[1].y);
}

template <class Integer>
struct Subset {
  unsigned mask = 0;
  int edges = 0;
  IntegerPoint<Integer> base;
  std::array<IntegerPoint<Integer>, 3> edge;
};

template <class Integer>
Subset<Integer> Choose(const std::array<IntegerPoint<Integer>, 4>& points, int size,
                       unsigned mask) {
  Subset<Integer> subset;
  subset.mask = mask;
  bool has_base = false;
  for (int i = 0; i < size; ++i) {
    if (!HasBit(mask, i)) continue;
    if (has_base) {
      subset.edge[subset.edges++] = points[i] - subset.base;
    } else {
      subset.base = points[i];
      has_base = true;
    }
  }
  return subset;
}

// Row r of column c of the Gram matrix, which goes on as the unit matrix beyond the edges.
template <class Integer>
Integer Gram(const Subset<Integer>& s, int r, int c) {
  if (r < s.edges && c < s.edges) return Dot(s.edge[r], s.edge[c]);
  return Integer(r == c ? 1 : 0);
}

template <class Integer>
IntegerPoint<Integer> RightSide(const Subset<Integer>& s) {
  const auto at = [&](int i) {
    return i < s.edges ? Integer(-Dot(s.edge[i], s.base)) : Integer(0);
  };
  return {at(0), at(1), at(2)};
}

// False if a weight is not positive or the points are dependent.
template <class Integer>
bool SolveInside(const Subset<Integer>& s, ExactNearest<Integer>* nearest) {
  std::array<IntegerPoint<Integer>, 3> gram;
  for (int c = 0; c < 3; ++c) gram[c] = {Gram(s, 0, c), Gram(s, 1, c), Gram(s, 2, c)};
  const Integer whole = Determinant(gram);
  if (whole == 0) return false;
  const IntegerPoint<Integer> right = RightSide(s);
  Integer base_weight = whole;
  IntegerPoint<Integer> numerator = whole * s.base;
  for (int i = 0; i < s.edges; ++i) {
    std::array<IntegerPoint<Integer>, 3> replaced = gram;
    replaced[i] = right;
    const Integer weight = Determinant(replaced);
    if (weight <= 0) return false;
    base_weight -= weight;
    numerator = numerator + weight * s.edge[i];
  }
  if (base_weight <= 0) return false;
  *nearest = {s.mask, numerator, whole};
  return true;
}

template <class Integer>
bool IsNearest(const ExactNearest<Integer>& x, const std::array<IntegerPoint<Integer>, 4>& points,
               int size) {
  const Integer square = Dot(x.numerator, x.numerator);
  return std::all_of(points.begin(), points.begin() + size, [&](const IntegerPoint<Integer>& y) {
    return Dot(x.numerator, y) * x.denominator >= square;
  });
}

int LeastExponent(double x) {
  if (x == 0) return 0;
  int exponent = 0;
  std::frexp(x, &exponent);
  return exponent - 53;
}

// x / 2^exponent, an integer.
mpz_class Scaled(double x, int exponent) {
  mpq_class q(x);
  if (exponent < 0) {
    q <<= static_cast<mp_bitcnt_t>(-exponent);
  } else {
    q >>= static_cast<mp_bitcnt_t>(exponent);
  }
  return q.get_num();
}

}  // namespace

template <class Integer>
ExactNearest<Integer> NearestExactly(const std::array<IntegerPoint<Integer>, 4>& points, int size) {
  for (unsigned mask = 1; mask < 1U << size; ++mask) {
    ExactNearest<Integer> nearest;
    if (!SolveInside(Choose(points, size, mask), &nearest)) continue;
    if (IsNearest(nearest, points, size)) return nearest;
  }
  std::abort();  // some independent subset carries the nearest point, and exact arithmetic finds it
}

Vec3d NearestExactly(const PointSimplex& simplex) {
  int exponent = 1024;
  for (int i = 0; i < simplex.size; ++i) {
    const Vec3d& p = simplex.point[i];
    for (const double x : {p.x, p.y, p.z}) {
      if (x != 0) exponent = std::min(exponent, LeastExponent(x));
    }
  }
  std::array<IntegerPoint<mpz_class>, 4> points;
  for (int i = 0; i < simplex.size; ++i) {
    const Vec3d& p = simplex.point[i];
    points[i] = {Scaled(p.x, exponent), Scaled(p.y, exponent), Scaled(p.z, exponent)};
  }
  const ExactNearest<mpz_class> nearest = NearestExactly(points, simplex.size);
  const auto divided = [&](const mpz_class& numerator) {
    mpq_class q(numerator, nearest.denominator);
    q.canonicalize();
    return std::ldexp(q.get_d(), exponent);
  };
  return {divided(nearest.numerator.x), divided(nearest.numerator.y), divided(nearest.numerator.z)};
}

template ExactNearest<std::int64_t> NearestExactly(const std::array<IntegerPoint<std::int64_t>, 4>&,
                                                   int);
template ExactNearest<mpz_class> NearestExactly(const std::array<IntegerPoint<mpz_class>, 4>&, int);

}  // namespace clearance::reference
