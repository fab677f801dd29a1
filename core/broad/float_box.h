// SPDX-License-Identifier: Apache-2.0
//
// Axis-parallel boxes in single precision, rounded outwards, and the bounds from two of them: the
// least distance of their contents, and the earliest time at which a moving one can reach the
// other. They take half the memory of doubles and twice the lanes. The loss of a few millionths of
// a coordinate costs a candidate now and then, never an answer.
//
// Every bound is monotone to the last bit: a box that holds another is at most as far away and is
// reached no later. So a box that is left out with its node would also have been left out alone,
// and no answer depends on a tree's shape.

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/math/assert.h"
#include "core/math/tolerance.h"
#include "core/math/vec3.h"

namespace clearance {

// Return the least float that is at least x, and the greatest that is at most x; infinite beyond
// the range. Requires: x is not NaN.
inline float RoundUpToFloat(double x) {
  CLEARANCE_ASSERT(!std::isnan(x));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kLargest = std::numeric_limits<float>::max();
  if (x > static_cast<double>(kLargest)) return kInfinity;
  if (x < -static_cast<double>(kLargest)) return -kLargest;
  // No branch: this is done six times for every box, and a branch would be unpredictable. The float
  // above 0 is the least positive one.
  const auto nearest = static_cast<float>(x);
  const auto bits = std::bit_cast<std::uint32_t>(nearest == 0 ? 0.0F : nearest);
  const std::uint32_t towards = nearest < 0 ? ~std::uint32_t{0} : 1;
  const std::uint32_t is_short = static_cast<double>(nearest) < x ? ~std::uint32_t{0} : 0;
  return std::bit_cast<float>(bits + (towards & is_short));
}
inline float RoundDownToFloat(double x) { return -RoundUpToFloat(-x); }

// A box: low <= high along every axis, or empty. An end may be infinite, low never upwards and high
// never downwards; metres, world.
struct FloatBox {
  std::array<float, 3> low;
  std::array<float, 3> high;

  friend bool operator==(const FloatBox&, const FloatBox&) = default;
};

// The empty box: its union with another box is that box.
inline constexpr FloatBox kEmptyBox = {
    {std::numeric_limits<float>::max(), std::numeric_limits<float>::max(),
     std::numeric_limits<float>::max()},
    {std::numeric_limits<float>::lowest(), std::numeric_limits<float>::lowest(),
     std::numeric_limits<float>::lowest()}};

// Returns a box that holds everything between low and high. Requires: no NaN, low <= high.
inline FloatBox MakeFloatBox(const Vec3d& low, const Vec3d& high) {
  CLEARANCE_ASSERT(low.x <= high.x && low.y <= high.y && low.z <= high.z);
  return {{RoundDownToFloat(low.x), RoundDownToFloat(low.y), RoundDownToFloat(low.z)},
          {RoundUpToFloat(high.x), RoundUpToFloat(high.y), RoundUpToFloat(high.z)}};
}

inline FloatBox Union(const FloatBox& a, const FloatBox& b) {
  FloatBox box = a;
  for (int i = 0; i < 3; ++i) {
    box.low[i] = std::min(a.low[i], b.low[i]);
    box.high[i] = std::max(a.high[i], b.high[i]);
  }
  return box;
}

// Returns at most the distance of anything in a from anything in b, metres; 0 if the boxes meet.
// Requires: neither is empty. Gaps below kMinBoxGap count as none, and those above kLargestBoxGap
// as kLargestBoxGap, so squares neither underflow nor overflow. Each of the seven roundings is at
// most 2^-24, and kBoxGapGuard is more than all of them.
inline float GapBound(const FloatBox& a, const FloatBox& b) {
  float sum = 0;
  for (int i = 0; i < 3; ++i) {
    float gap = std::max(a.low[i] - b.high[i], b.low[i] - a.high[i]);
    gap = gap >= kMinBoxGap ? std::min(gap, kLargestBoxGap) : 0.0F;
    sum = sum + gap * gap;
  }
  return std::sqrt(sum) * kBoxGapGuard;
}

// Returns whether GapBound is more than 0, without computing it.
inline bool IsApart(const FloatBox& a, const FloatBox& b) {
  bool is_apart = false;
  for (int i = 0; i < 3; ++i) {
    is_apart |= std::max(a.low[i] - b.high[i], b.low[i] - a.high[i]) >= kMinBoxGap;
  }
  return is_apart;
}

// A moving box: at t in [0, 1] it is `box`, moved by t * displacement. Made by MakeMovingBox.
struct MovingFloatBox {
  FloatBox box;
  // 1 / displacement, or 0 along axes on which `box` already holds the whole path.
  std::array<float, 3> inverse;
};

// An entry time is one before which certainly nothing of a box is met; this one stands for none in
// [0, 1].
inline constexpr float kNeverMet = 2;

// Returns the moving box. Displacements too short or too long for a quotient are made part of
// `box`.
inline MovingFloatBox MakeMovingBox(const Vec3d& low, const Vec3d& high,
                                    const Vec3d& displacement) {
  const std::array<double, 3> lows = {low.x, low.y, low.z};
  const std::array<double, 3> highs = {high.x, high.y, high.z};
  const std::array<double, 3> ways = {displacement.x, displacement.y, displacement.z};
  MovingFloatBox moving{};
  for (int i = 0; i < 3; ++i) {
    const double length = std::fabs(ways[i]);
    const bool is_moving =
        length >= static_cast<double>(kMinBoxGap) && length <= static_cast<double>(kLargestBoxGap);
    const double way = is_moving ? 0 : ways[i];
    moving.inverse[i] = is_moving ? static_cast<float>(1 / ways[i]) : 0.0F;
    // The rounding to float is far above that of these sums, unless they are floats themselves.
    const double slack = 4 * kRoundoff * (std::fabs(lows[i]) + std::fabs(highs[i]) + length);
    const double widening = is_moving ? 0 : slack;
    moving.box.low[i] = RoundDownToFloat(lows[i] + std::min(way, 0.0) - widening);
    moving.box.high[i] = RoundUpToFloat(highs[i] + std::max(way, 0.0) + widening);
  }
  return moving;
}

// Returns a time rounded down for certain. It takes no difference of an infinite time.
inline float GuardedDown(float t) {
  return std::min(t * (1.0F - kBoxTimeGuard), t * (1.0F + kBoxTimeGuard)) - kBoxTimeSlack;
}

// Returns the entry time. Along a moving axis the boxes meet from (low_b - high_a) / d to (high_b -
// low_a) / d, or in the reverse order. Each quotient is off by at most 4 roundings, relatively, and
// kBoxTimeGuard is more than these; kBoxTimeSlack is more than what underflow takes. Requires:
// neither box is empty.
inline float EntryTime(const MovingFloatBox& moving, const FloatBox& b) {
  float enter = 0;
  float leave = 1;
  bool is_apart = false;
  for (int i = 0; i < 3; ++i) {
    const float below = b.low[i] - moving.box.high[i];
    const float above = b.high[i] - moving.box.low[i];
    if (moving.inverse[i] == 0.0F) {
      is_apart |= below > 0.0F || above < 0.0F;
      continue;
    }
    const float one = below * moving.inverse[i];
    const float other = above * moving.inverse[i];
    const float first = std::min(one, other);
    const float last = std::max(one, other);
    enter = std::max(enter, GuardedDown(first));
    leave = std::min(leave, -GuardedDown(-last));
  }
  return is_apart || enter > leave ? kNeverMet : enter;
}

}  // namespace clearance
