// SPDX-License-Identifier: Apache-2.0
//
// Random numbers that are the same on every machine, from a seed that every test prints.
// Environment variables:
//   CLEARANCE_SEED            the seed
//   CLEARANCE_EFFORT          a factor on the number of random cases (1 by default)
//   CLEARANCE_DEFAULT_EFFORT  the same if CLEARANCE_EFFORT is not set; test presets set it
//   CLEARANCE_SOAK=1          the long form of tests that have one

#pragma once

#include <cstdint>

#include "core/math/pose.h"
#include "core/math/vec3.h"

namespace clearance::testing {

// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next();
  // 0 <= result < bound.
  int Below(int bound);
  bool OneIn(int n) { return Below(n) == 0; }
  double Uniform(double low, double high);
  // low * (high / low)^x, x uniform. Requires: 0 < low < high.
  double LogUniform(double low, double high);
  double Sign() { return OneIn(2) ? -1.0 : 1.0; }
  Vec3d InCube(double half);
  // Returns a vector of unit length, to rounding.
  Vec3d Direction();
  Quaternion Rotation();
  // The rotation by `angle` about a random axis.
  Quaternion RotationBy(double angle);

 private:
  std::uint64_t state_;
};

// The seed of this run, printed at the first call.
std::uint64_t RunSeed();

// `count` times the effort of this run, at least 1.
int Effort(int count);

// Returns the same of `soak_count` if CLEARANCE_SOAK=1, of `count` otherwise.
int Effort(int count, int soak_count);

}  // namespace clearance::testing
