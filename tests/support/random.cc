// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace clearance::testing {
namespace {

constexpr std::uint64_t kDefaultSeed = 20240229;

std::uint64_t ReadSeed() {
  const char* text = std::getenv("CLEARANCE_SEED");
  const std::uint64_t seed = text == nullptr ? kDefaultSeed : std::strtoull(text, nullptr, 0);
  std::printf("CLEARANCE_SEED=%llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

double ReadEffort() {
  for (const char* const name : {"CLEARANCE_EFFORT", "CLEARANCE_DEFAULT_EFFORT"}) {
    if (const char* const text = std::getenv(name); text != nullptr) {
      return std::strtod(text, nullptr);
    }
  }
  return 1;
}

}  // namespace

std::uint64_t Random::Next() {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

int Random::Below(int bound) {
  return static_cast<int>(Next() % static_cast<std::uint64_t>(bound));
}

double Random::Uniform(double low, double high) {
  return low + (high - low) * (static_cast<double>(Next() >> 11) * 0x1p-53);
}

double Random::LogUniform(double low, double high) {
  return std::exp(Uniform(std::log(low), std::log(high)));
}

Vec3d Random::InCube(double half) {
  return {Uniform(-half, half), Uniform(-half, half), Uniform(-half, half)};
}

Vec3d Random::Direction() {
  for (;;) {
    const Vec3d v = InCube(1);
    const double square = NormSquared(v);
    if (square > 0.01 && square <= 1) return (1 / std::sqrt(square)) * v;
  }
}

Quaternion Random::Rotation() {
  for (;;) {
    const Quaternion q = {Uniform(-1, 1), Uniform(-1, 1), Uniform(-1, 1), Uniform(-1, 1)};
    const double norm = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (norm > 0.1 && norm <= 1) return {q.x / norm, q.y / norm, q.z / norm, q.w / norm};
  }
}

Quaternion Random::RotationBy(double angle) {
  const Vec3d v = std::sin(angle / 2) * Direction();
  return {v.x, v.y, v.z, std::cos(angle / 2)};
}

std::uint64_t RunSeed() {
  static const std::uint64_t seed = ReadSeed();
  return seed;
}

int Effort(int count) {
  static const double factor = ReadEffort();
  return std::max(1, static_cast<int>(factor * count));
}

int Effort(int count, int soak_count) {
  static const char* const text = std::getenv("CLEARANCE_SOAK");
  static const bool is_soak = text != nullptr && std::string_view(text) == "1";
  return Effort(is_soak ? soak_count : count);
}

}  // namespace clearance::testing
