// SPDX-License-Identifier: Apache-2.0
//
// Two bodies in the world with integer coordinates: the exact reals that the doubles denote,
// multiplied by one common denominator. A rotation is the rational matrix of q over |q|^2 and every
// double is a dyadic fraction, so nothing is ever rounded. Nothing here is shared with the code
// under test.

#pragma once

#include <gmpxx.h>

#include <array>
#include <vector>

#include "tests/support/body.h"

namespace clearance::testing {

struct ExactVector {
  mpz_class x, y, z;
};

ExactVector operator+(const ExactVector& a, const ExactVector& b);
ExactVector operator-(const ExactVector& a, const ExactVector& b);
ExactVector operator*(const mpz_class& s, const ExactVector& a);
mpz_class Dot(const ExactVector& a, const ExactVector& b);
ExactVector Cross(const ExactVector& a, const ExactVector& b);
bool IsZero(const ExactVector& a);

// Divides by the greatest common divisor: the same direction in the smallest numbers.
ExactVector Reduced(const ExactVector& a);

// World point = matrix / denominator * p + position, all exact.
struct ExactPlacement {
  std::array<std::array<mpz_class, 3>, 3> matrix;
  mpz_class denominator;
  std::array<mpq_class, 3> position;
};

ExactPlacement Place(const Pose& pose);

// `placement` moved by t * displacement.
ExactPlacement Moved(ExactPlacement placement, double t, const Vec3d& displacement);

// The rotation by a quaternion of rationals (any length but 0).
ExactPlacement PlaceRotation(const std::array<mpq_class, 4>& wxyz);

// First `inner`, then `outer`.
ExactPlacement Compose(const ExactPlacement& outer, const ExactPlacement& inner);

// Points of the world in units of `unit` metres; `radii` is the sum of both radii, metres.
struct ExactPair {
  std::vector<ExactVector> a;
  std::vector<ExactVector> b;
  mpq_class unit;
  mpq_class radii;
};

ExactPair MakeExactPair(const BodyPair& bodies);
ExactPair MakeExactPair(const BodyPair& bodies, const ExactPlacement& X_WA,
                        const ExactPlacement& X_WB);

}  // namespace clearance::testing
