// SPDX-License-Identifier: Apache-2.0
//
// Exact sums and products of doubles: a number is held as a sum of doubles that do not overlap, in
// increasing magnitude (Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust
// Geometric Predicates", 1997). Capacities are part of the types, so everything lives on the stack
// and nothing can overrun.
//
// Exact as long as no product underflows; see exact_predicates.h for the numbers of which that is
// true.

#pragma once

#include <array>

#include "core/math/double_double.h"

namespace clearance {

// The sum of term[0] .. term[size - 1]; no zero terms, so size 0 is the number zero.
template <int kCapacity>
struct Expansion {
  std::array<double, kCapacity> term;
  int size = 0;

  void Append(double t) {
    if (t != 0) term[size++] = t;
  }
  // The largest term outweighs all others together.
  int Sign() const { return size == 0 ? 0 : (term[size - 1] > 0 ? 1 : -1); }
};

// a - b exactly.
inline Expansion<2> Difference(double a, double b) {
  const DoubleDouble difference = TwoSum(a, -b);
  Expansion<2> result;
  result.Append(difference.lo);
  result.Append(difference.hi);
  return result;
}

// Shewchuk's fast expansion sum: merges by magnitude and carries once through.
template <int kA, int kB>
Expansion<kA + kB> operator+(const Expansion<kA>& a, const Expansion<kB>& b) {
  Expansion<kA + kB> result;
  int i = 0;
  int j = 0;
  const auto next = [&] {
    if (j == b.size) return a.term[i++];
    if (i == a.size) return b.term[j++];
    const bool take_a = (b.term[j] > a.term[i]) == (b.term[j] > -a.term[i]);
    return take_a ? a.term[i++] : b.term[j++];
  };
  const int total = a.size + b.size;
  if (total == 0) return result;
  double carry = next();
  for (int k = 1; k < total; ++k) {
    const DoubleDouble sum = TwoSum(carry, next());
    result.Append(sum.lo);
    carry = sum.hi;
  }
  result.Append(carry);
  return result;
}

template <int kA>
Expansion<kA> operator-(const Expansion<kA>& a) {
  Expansion<kA> result = a;
  for (int i = 0; i < a.size; ++i) result.term[i] = -a.term[i];
  return result;
}

template <int kA, int kB>
Expansion<kA + kB> operator-(const Expansion<kA>& a, const Expansion<kB>& b) {
  return a + -b;
}

// Shewchuk's scale expansion.
template <int kA>
Expansion<2 * kA> operator*(const Expansion<kA>& a, double factor) {
  Expansion<2 * kA> result;
  if (a.size == 0) return result;
  const DoubleDouble first = TwoProduct(a.term[0], factor);
  result.Append(first.lo);
  double carry = first.hi;
  for (int i = 1; i < a.size; ++i) {
    const DoubleDouble product = TwoProduct(a.term[i], factor);
    const DoubleDouble low = TwoSum(carry, product.lo);
    result.Append(low.lo);
    const DoubleDouble high = FastTwoSum(product.hi, low.hi);
    result.Append(high.lo);
    carry = high.hi;
  }
  result.Append(carry);
  return result;
}

// A difference of two doubles has at most two terms, so a product by one is a sum of two scalings.
template <int kA>
Expansion<4 * kA> operator*(const Expansion<kA>& a, const Expansion<2>& b) {
  Expansion<4 * kA> result;
  if (b.size == 0) return result;
  if (b.size == 1) {
    const Expansion<2 * kA> product = a * b.term[0];
    for (int i = 0; i < product.size; ++i) result.Append(product.term[i]);
    return result;
  }
  return a * b.term[0] + a * b.term[1];
}

}  // namespace clearance
