// SPDX-License-Identifier: Apache-2.0
//
// The Minkowski difference A - B of two shapes without their radii, in integers: world axes, one
// unit being 2^exponent / denominator metres.

#pragma once

#include <cstdint>

#include "core/exact/exact_body.h"
#include "core/exact/integers.h"

namespace clearance {

class ExactDifference {
 public:
  // Keeps references to both shapes.
  ExactDifference(const ExactBody& a, const ExactBody& b);

  // Returns any vertex of A - B.
  IntegerVector AnyVertex() const { return At(0, 0); }

  // Returns a vertex of A - B than which none is higher along `direction`. A scan of all vertices
  // in double leaves those that rounding cannot tell apart, and integers decide among them. If
  // is_exhausted() is true afterwards, it is just some vertex.
  IntegerVector Support(const IntegerVector& direction);

  // The sum of both radii, units.
  const Integer& radius_sum() const { return radius_sum_; }

  int exponent() const { return exponent_; }
  const Integer& denominator() const { return denominator_; }

  // Work done on this difference is bounded by kMaxExactWork; after that nothing more is known.
  void Charge(std::int64_t work) { work_ += work; }
  bool is_exhausted() const;

 private:
  // One of the shapes: its vertex v is at `matrix` * (v / 2^lowest_bit), but for the offset.
  struct Side {
    const ConvexShape& shape;
    int lowest_bit = 0;
    IntegerMatrix matrix;
  };

  IntegerVector At(VertexIndex a, VertexIndex b) const;
  VertexIndex HighestOf(const Side& side, const IntegerVector& direction);
  VertexIndex HighestExactly(const Side& side, const IntegerVector& direction, double least,
                             const Vec3d& rounded);

  Side a_;
  Side b_;
  IntegerVector offset_;
  Integer radius_sum_;
  int exponent_ = 0;
  Integer denominator_;
  std::int64_t work_ = 0;
};

}  // namespace clearance
