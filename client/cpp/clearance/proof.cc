// SPDX-License-Identifier: Apache-2.0
#include "clearance/proof.h"

#include <algorithm>
#include <cmath>

#include "internal/free_rows.h"

namespace clearance::client {
namespace {

constexpr double kPi = 3.141592653589793;
// More than the rounding of the few operations it multiplies.
constexpr double kRoundedUp = 1 + 0x1p-50;

}  // namespace

bool ProvedFree(const DistanceResult& result, std::size_t row, double margin) {
  return IsFree(result.states, result.lower_bounds, row, margin);
}

bool ProvedFree(const IntersectionResult& result, std::size_t row, double margin) {
  return IsFree(result.states, result.lower_bounds, row, margin);
}

bool ProvedFree(const TimeOfCollisionResult& result, std::size_t row) {
  return row < result.states.size() && result.states[row] == MotionState::kFree;
}

double LargestDisplacement(const BodyMotion& motion) {
  const double angle = std::min(std::abs(motion.rotation), kPi);
  const double turn = 2 * std::abs(motion.bounding_radius) * std::sin(angle / 2);
  return (std::abs(motion.translation) + turn) * kRoundedUp;
}

double FreeMotionRadius(const DistanceResult& result, std::size_t row) {
  const std::size_t known = std::min(result.lower_bounds.size(), result.upper_bounds.size());
  if (row >= std::min(known, result.states.size())) return 0;
  switch (result.states[row]) {
    case State::kSeparated:
    case State::kBeyond:
      return std::max(0.0, result.lower_bounds[row]);
    case State::kPenetrating:
      return std::max(0.0, -result.upper_bounds[row]);
    default:
      return 0;
  }
}

bool StillHolds(const DistanceResult& result, std::size_t row, const BodyMotion& a,
                const BodyMotion& b) {
  // A NaN stays one, of which nothing holds.
  const double moved = (LargestDisplacement(a) + LargestDisplacement(b)) * kRoundedUp;
  return moved < FreeMotionRadius(result, row);
}

}  // namespace clearance::client
