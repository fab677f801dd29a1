// SPDX-License-Identifier: Apache-2.0
//
// Cases whose answers must have the same bits everywhere. They are made with exact operations and
// square roots only, so that the cases themselves are the same everywhere: nothing from libm, no
// distribution of the standard library.

#pragma once

#include <cstdint>
#include <vector>

#include "core/math/pose.h"
#include "core/shape/convex_shape.h"

namespace clearance::golden {

// SplitMix64 (Steele, Lea, Flood 2014).
class Bits {
 public:
  explicit Bits(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Next();
  // 0 <= result < bound.
  std::uint32_t Below(std::uint32_t bound);
  // A multiple of 2^-40 in [-1, 1).
  double Signed();

 private:
  std::uint64_t state_;
};

Quaternion AnyRotation(Bits& bits);

// Shapes of every kind, some thousand vertices in all.
std::vector<ConvexShapePtr> MakePool();

inline constexpr std::uint32_t kBlockSize = 10000;

// The digest of the answers to one block of kBlockSize cases (of a distance three answers: cold,
// warm from its own witness and warm from a random one): of the canonical fields, which leave out
// iterations. Any thread, any order.
std::uint64_t BlockDigest(const std::vector<ConvexShapePtr>& pool, std::uint32_t block);

}  // namespace clearance::golden
