// SPDX-License-Identifier: Apache-2.0
//
// Integers of any size, and the conversion of doubles to them and back. Every double is an integer
// times a power of two, so with one common exponent geometry needs no fractions at all.
//
// GMP ends the process if memory runs out. The largest numbers of core/exact have some hundred
// thousand bits, from poses and vertices that use the whole range of doubles.

#pragma once

#include <gmpxx.h>

#include <cstdint>

#include "core/math/rotation.h"
#include "core/math/vec3.h"

namespace clearance {

using Integer = mpz_class;
using IntegerVector = Vec3<Integer>;
using IntegerMatrix = Mat3<Integer>;

// Returns the exponent of the lowest bit that is set: x is an odd multiple of 2^LowestBit(x). For 0
// it is kNoBit, above all others.
int LowestBit(double x);
int LowestBit(const Vec3d& v);
inline constexpr int kNoBit = 1 << 20;

// x / 2^exponent. Requires: x is finite, exponent <= LowestBit(x).
Integer ToInteger(double x, int exponent);
IntegerVector ToInteger(const Vec3d& v, int exponent);

// x * 2^shift. Requires: shift >= 0.
Integer Shifted(const Integer& x, int shift);
IntegerVector Shifted(const IntegerVector& v, int shift);

bool IsZero(const IntegerVector& v);

// Bits of |x|, and of the largest coordinate; at least 1.
int BitCount(const Integer& x);
int BitCount(const IntegerVector& v);

// Returns the products of 64-bit words that one product of such numbers takes: the unit of work.
std::int64_t ProductCost(int bits_a, int bits_b);

// Return a double within two units in the last place of numerator / denominator * 2^exponent, and
// not above, or not below it. Requires: numerator >= 0, denominator > 0.
double QuotientDown(const Integer& numerator, const Integer& denominator, int exponent);
double QuotientUp(const Integer& numerator, const Integer& denominator, int exponent);

}  // namespace clearance
