// SPDX-License-Identifier: Apache-2.0

#include "core/exact/exact_difference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/math/tolerance.h"

namespace clearance {
namespace {

// The exponent of the lowest bit of a body's vertices, metres before the division.
int VertexExponent(const ExactBody& body) {
  return body.lowest_bit == kNoBit ? kNoBit : body.shape.exponent() + body.lowest_bit;
}

int LowestBitOfRadius(const ConvexShape& shape) {
  return std::min(LowestBit(shape.radius()), LowestBit(shape.radius_low()));
}

int CommonExponent(const ExactBody& a, const ExactBody& b) {
  const int lowest = std::min({VertexExponent(a), VertexExponent(b), a.X_W.exponent, b.X_W.exponent,
                               LowestBitOfRadius(a.shape), LowestBitOfRadius(b.shape)});
  return lowest == kNoBit ? 0 : lowest;  // two points at the world's origin
}

IntegerMatrix Scaled(const IntegerMatrix& m, const Integer& factor, int shift) {
  return {Shifted(factor * m.row_x, shift), Shifted(factor * m.row_y, shift),
          Shifted(factor * m.row_z, shift)};
}

IntegerMatrix VertexMatrix(const ExactBody& body, const Integer& factor, int exponent) {
  if (body.lowest_bit == kNoBit) return body.X_W.matrix;  // every vertex is 0
  return Scaled(body.X_W.matrix, factor, VertexExponent(body) - exponent);
}

IntegerVector Offset(const ExactPlacement& X, const Integer& factor, int exponent) {
  return Shifted(factor * X.offset, X.exponent - exponent);
}

Integer Radius(const ConvexShape& shape, int exponent) {
  return ToInteger(shape.radius(), exponent) + ToInteger(shape.radius_low(), exponent);
}

// d / 2^k, each coordinate towards 0, with the largest in [0.5, 1).
Vec3d Rounded(const IntegerVector& d) {
  signed long exponent_x = 0, exponent_y = 0, exponent_z = 0;
  const Vec3d fraction = {mpz_get_d_2exp(&exponent_x, d.x.get_mpz_t()),
                          mpz_get_d_2exp(&exponent_y, d.y.get_mpz_t()),
                          mpz_get_d_2exp(&exponent_z, d.z.get_mpz_t())};
  const int largest = BitCount(d);
  return {std::ldexp(fraction.x, static_cast<int>(exponent_x) - largest),
          std::ldexp(fraction.y, static_cast<int>(exponent_y) - largest),
          std::ldexp(fraction.z, static_cast<int>(exponent_z) - largest)};
}

double HeightOf(const ConvexShape& shape, VertexIndex i, const Vec3d& d) {
  return d.x * shape.x()[i] + d.y * shape.y()[i] + d.z * shape.z()[i];
}

// Returns a bound on the error of a vertex's height (|coordinates| <= 1) along the rounded
// direction. It has, of the sum of magnitudes, 2u from each coordinate's rounding and 3u from the
// products and sums (n = 3 of each); the rest is for underflow.
double HeightError(const Vec3d& d) {
  return 6 * kRoundoff * (std::fabs(d.x) + std::fabs(d.y) + std::fabs(d.z));
}

}  // namespace

ExactDifference::ExactDifference(const ExactBody& a, const ExactBody& b)
    : a_{a.shape, a.lowest_bit, {}},
      b_{b.shape, b.lowest_bit, {}},
      exponent_(CommonExponent(a, b)) {
  const Integer common = gcd(a.X_W.denominator, b.X_W.denominator);
  const Integer factor_a = b.X_W.denominator / common;
  const Integer factor_b = a.X_W.denominator / common;
  denominator_ = a.X_W.denominator * factor_a;
  a_.matrix = VertexMatrix(a, factor_a, exponent_);
  b_.matrix = VertexMatrix(b, factor_b, exponent_);
  offset_ = Offset(a.X_W, factor_a, exponent_) - Offset(b.X_W, factor_b, exponent_);
  radius_sum_ = denominator_ * (Radius(a.shape, exponent_) + Radius(b.shape, exponent_));
}

bool ExactDifference::is_exhausted() const { return work_ > kMaxExactWork; }

IntegerVector ExactDifference::At(VertexIndex a, VertexIndex b) const {
  return a_.matrix * ToInteger(a_.shape.vertex(a), a_.lowest_bit) -
         b_.matrix * ToInteger(b_.shape.vertex(b), b_.lowest_bit) + offset_;
}

IntegerVector ExactDifference::Support(const IntegerVector& direction) {
  const VertexIndex a = HighestOf(a_, Transpose(a_.matrix) * direction);
  const VertexIndex b = HighestOf(b_, -(Transpose(b_.matrix) * direction));
  IntegerVector w = At(a, b);
  // The dozens of products that a caller does with it.
  Charge(64 * ProductCost(BitCount(w), BitCount(direction)));
  return w;
}

VertexIndex ExactDifference::HighestOf(const Side& side, const IntegerVector& direction) {
  const VertexIndex count = side.shape.vertex_count();
  Charge(count);
  const Vec3d rounded = Rounded(direction);
  double highest = -std::numeric_limits<double>::infinity();
  for (VertexIndex i = 0; i < count; ++i) {
    highest = std::max(highest, HeightOf(side.shape, i, rounded));
  }
  // Both the true highest vertex and the one of `highest` may be off; the third bound covers this
  // subtraction's own rounding.
  return HighestExactly(side, direction, highest - 3 * HeightError(rounded), rounded);
}

VertexIndex ExactDifference::HighestExactly(const Side& side, const IntegerVector& direction,
                                            double least, const Vec3d& rounded) {
  const ConvexShape& shape = side.shape;
  std::int64_t cost = 0;  // of one exact height
  VertexIndex best = 0;
  bool has_best = false;
  Integer best_height;  // computed once there is a second candidate
  for (VertexIndex i = 0; i < shape.vertex_count() && !is_exhausted(); ++i) {
    if (!(HeightOf(shape, i, rounded) >= least)) continue;
    if (!has_best) {
      has_best = true;
      best = i;
      continue;
    }
    const auto height = [&](VertexIndex k) -> Integer {
      return Dot(direction, ToInteger(shape.vertex(k), side.lowest_bit));
    };
    if (cost == 0) {
      best_height = height(best);
      cost = 3 * ProductCost(BitCount(direction), 1 - side.lowest_bit);
    }
    Charge(cost);
    Integer next = height(i);
    if (next > best_height) {
      best = i;
      best_height.swap(next);
    }
  }
  return best;
}

}  // namespace clearance
