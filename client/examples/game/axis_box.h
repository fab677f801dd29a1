// SPDX-License-Identifier: Apache-2.0
//
// The geometry that the game itself knows: boxes along the axes, met in closed form. It moves the
// players of the built-in level and is the reference for the server's verdicts; it shares no code
// with the server.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "clearance/shape.h"

namespace game {

using clearance::client::Vec3;

inline Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator*(double s, const Vec3& v) { return {s * v.x, s * v.y, s * v.z}; }

// A straight path, as t goes from 0 to 1.
struct Way {
  Vec3 from;
  Vec3 move;
};

struct AxisBox {
  Vec3 low;
  Vec3 high;
};

// Grows a box by `by` on every side. If `by` is half the size of another box, that box's centre
// meets the grown box when the boxes meet.
AxisBox Grown(const AxisBox& box, const Vec3& by);

// Returns when a point on this path is first in the box (its surface too); nothing if it never is.
std::optional<double> EntryTime(const AxisBox& box, const Way& way);

// A body of the game that is such a box.
struct BoxBody {
  std::uint32_t id = 0;
  AxisBox box;
};

// The required answer to a path.
struct Expectation {
  enum class Kind : std::uint8_t {
    kUnknown,         // there is no reference, or a body is grazed so that either is right
    kFree,            // meets nothing
    kStopped,         // first met at `t`: one of `bodies`
    kStoppedNotAfter  // something is met at `t` at the latest
  };
  Kind kind = Kind::kUnknown;
  double t = 0;
  std::vector<std::uint32_t> bodies = {};
};

// Times of the reference and of the server may differ by this much.
inline constexpr double kTimeSlack = 1e-9;

struct BoxQuestion {
  Way way;
  Vec3 half_size;  // of the moving box; 0 for a point
  // A body is grazed if it is met only when the moving box is larger by this much, and not when it
  // is smaller by this much.
  double doubt = 0;
};

// Returns the required answer in a world of these bodies, or (is_whole: false) of one that has
// other bodies too.
Expectation Expect(const std::vector<BoxBody>& bodies, bool is_whole, const BoxQuestion& question);

}  // namespace game
