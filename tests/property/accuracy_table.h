// SPDX-License-Identifier: Apache-2.0
//
// How far answers are from the truth at most: the table that core/accuracy.md prints and
// accuracy_test.cc holds to be true, and not stale, line by line. Errors are relative to S + |d|: S
// is the sum of both bodies' bounding radii, d the exact signed distance, minus the depth where
// bodies overlap.

#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace clearance::testing {

// The kinds of a line's bodies; each is drawn equally often.
enum class Group : std::uint8_t {
  kThin,      // point, segment, triangle, polygon
  kSolid,     // box, hull of up to 10 points
  kRound,     // sphere, capsule
  kRounded,   // triangle, polygon, box, hull with a radius
  kCylinder,  // a third with a radius, like the other two
  kCone,
  kEllipsoid,
  kCompound,  // of 3 to 4 boxes and hulls, some with a radius
};
inline constexpr int kGroupCount = static_cast<int>(Group::kCompound) + 1;

// The relation of the bodies.
enum class Situation : std::uint8_t {
  kFar,            // a gap of 0.1 to 100 S
  kNear,           // a gap of 1e-7 to 1e-5 S
  kTouching,       // a gap or an overlap by rounding alone
  kShallow,        // an overlap of 1e-6 to 1e-3 S
  kDeep,           // an overlap of up to a body's size
  kScaled,         // far, near or shallow, all lengths times 2^900 or 2^-900
  kFarFromOrigin,  // the same, 1e8 from the world's origin
};
inline constexpr int kSituationCount = static_cast<int>(Situation::kFarFromOrigin) + 1;

struct AccuracyRow {
  Group a;
  Group b;
  // The worst error, by Situation.
  std::array<double, kSituationCount> worst;
};

// The ends of the searches of curved kinds, whatever the pair (core/math/tolerance.h): brackets of
// 512 roundings if bodies are apart, 1e-10 if they overlap. Few pairs come near the latter.
inline constexpr double kApartEnd = 6e-14;
inline constexpr double kDepthEnd = 1e-10;

// All other values are the worst of long runs (CLEARANCE_SOAK=1) with some room, in one digit.
inline constexpr std::array kAccuracy = {
    AccuracyRow{Group::kThin, Group::kThin, {1e-15, 7e-16, 2e-16, 4e-16, 3e-16, 6e-16, 7e-16}},
    AccuracyRow{Group::kThin, Group::kSolid, {1e-15, 8e-16, 4e-16, 5e-16, 4e-16, 7e-16, 7e-16}},
    AccuracyRow{Group::kSolid, Group::kSolid, {1e-15, 6e-16, 2e-16, 7e-16, 3e-16, 8e-16, 7e-16}},
    AccuracyRow{Group::kRound, Group::kThin, {9e-16, 8e-16, 2e-16, 8e-16, 6e-16, 9e-16, 9e-16}},
    AccuracyRow{Group::kRound, Group::kSolid, {1e-15, 7e-16, 2e-16, 7e-16, 4e-16, 1e-15, 1e-15}},
    AccuracyRow{Group::kRound, Group::kRound, {2e-15, 8e-16, 2e-16, 8e-16, 5e-16, 2e-15, 8e-16}},
    AccuracyRow{Group::kRounded, Group::kSolid, {2e-15, 6e-16, 2e-16, 5e-16, 3e-16, 7e-16, 9e-16}},
    AccuracyRow{
        Group::kRounded, Group::kRounded, {1e-15, 6e-16, 2e-16, 4e-16, 3e-16, 6e-16, 7e-16}},
    AccuracyRow{Group::kCylinder,
                Group::kThin,
                {kApartEnd, kApartEnd, kDepthEnd, kDepthEnd, kDepthEnd, kDepthEnd, kDepthEnd}},
    AccuracyRow{Group::kCylinder,
                Group::kSolid,
                {kApartEnd, kApartEnd, kDepthEnd, kDepthEnd, kDepthEnd, kDepthEnd, kDepthEnd}},
    AccuracyRow{Group::kCylinder,
                Group::kRound,
                {kApartEnd, kApartEnd, 8e-15, 8e-15, kDepthEnd, kApartEnd, kApartEnd}},
    AccuracyRow{Group::kCylinder,
                Group::kCylinder,
                {kApartEnd, kApartEnd, kDepthEnd, kDepthEnd, kDepthEnd, kDepthEnd, kDepthEnd}},
    AccuracyRow{Group::kCylinder,
                Group::kCone,
                {kApartEnd, kApartEnd, kDepthEnd, kDepthEnd, kDepthEnd, kDepthEnd, kDepthEnd}},
    AccuracyRow{Group::kCylinder,
                Group::kEllipsoid,
                {kApartEnd, kApartEnd, kDepthEnd, kDepthEnd, kDepthEnd, kDepthEnd, kDepthEnd}},
    AccuracyRow{Group::kCone,
                Group::kThin,
                {kApartEnd, kApartEnd, kDepthEnd, kDepthEnd, kDepthEnd, kDepthEnd, kDepthEnd}},
    AccuracyRow{Group::kCone,
                Group::kSolid,
                {kApartEnd, kApartEnd, kDepthEnd, kDepthEnd, kDepthEnd, kDepthEnd, kDepthEnd}},
    AccuracyRow{Group::kCone,
                Group::kRound,
                {kApartEnd, kApartEnd, 8e-15, 2e-14, kDepthEnd, kApartEnd, kApartEnd}},
    AccuracyRow{Group::kCone,
                Group::kCone,
                {kApartEnd, kApartEnd, kDepthEnd, kDepthEnd, kDepthEnd, kDepthEnd, kDepthEnd}},
    AccuracyRow{Group::kCone,
                Group::kEllipsoid,
                {kApartEnd, kApartEnd, kDepthEnd, kDepthEnd, kDepthEnd, kDepthEnd, kDepthEnd}},
    AccuracyRow{Group::kEllipsoid,
                Group::kThin,
                {kApartEnd, kApartEnd, 2e-13, 2e-13, 2e-13, kApartEnd, kApartEnd}},
    AccuracyRow{Group::kEllipsoid,
                Group::kSolid,
                {kApartEnd, kApartEnd, kDepthEnd, kDepthEnd, kDepthEnd, kDepthEnd, kDepthEnd}},
    AccuracyRow{Group::kEllipsoid,
                Group::kRound,
                {kApartEnd, kApartEnd, 4e-15, 4e-15, 2e-14, kApartEnd, kApartEnd}},
    AccuracyRow{Group::kEllipsoid,
                Group::kEllipsoid,
                {kApartEnd, kApartEnd, 2e-13, 4e-15, 2e-14, kApartEnd, kApartEnd}},
    AccuracyRow{Group::kCompound, Group::kSolid, {9e-16, 4e-16, 2e-16, 3e-15, 3e-15, 9e-16, 7e-16}},
    AccuracyRow{
        Group::kCompound, Group::kCompound, {9e-16, 4e-16, 3e-16, 3e-15, 3e-15, 7e-16, 8e-16}},
};

// The kinds of a line of times of collision.
enum class MovingKinds : std::uint8_t {
  kPolytopes,  // of every kind, some with a radius: spheres and capsules too
  kCurved,     // one is a cylinder, a cone or an ellipsoid; those that turn do so about their axis
};

struct MotionAccuracyRow {
  MovingKinds kinds;
  bool turns;
  // At t_free, the exact distance less the target distance: how early the free time ends. Never
  // negative: the end of the free time is never late.
  double worst_early;
  // At t_hit, the exact distance beyond the target distance: 0 if the bodies are as near by then.
  double worst_short;
};

inline constexpr std::array kMotionAccuracy = {
    MotionAccuracyRow{MovingKinds::kPolytopes, false, 3e-12, 3e-12},
    MotionAccuracyRow{MovingKinds::kPolytopes, true, 5e-12, 5e-12},
    MotionAccuracyRow{MovingKinds::kCurved, false, 4e-13, 4e-13},
    MotionAccuracyRow{MovingKinds::kCurved, true, 1e-11, 1e-11},
};

const char* Name(Group group);
const char* Name(Situation situation);
const char* Name(MovingKinds kinds);

// Both tables as core/accuracy.md has them between its marks, in Markdown.
std::string AccuracyText();

}  // namespace clearance::testing
