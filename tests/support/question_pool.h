// SPDX-License-Identifier: Apache-2.0
//
// Questions in great numbers: shapes of every kind and family are built once, and asked about in
// ever new poses - ordinary, degenerate, touching, far away, scaled, of very different size.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/query/distance.h"
#include "core/query/time_of_collision.h"
#include "core/shape/convex_shape.h"
#include "core/shape/posed_shape.h"
#include "tests/support/random.h"

namespace clearance::testing {

enum class Regime : std::uint8_t {
  kGenerated,      // as a generator of generators.h made the pair
  kAnyPose,        // anywhere near each other
  kNearContact,    // moved along the normal until they nearly touch, or do, or overlap a little
  kTwins,          // a shape and itself, at the same or nearly the same place
  kAligned,        // axes along the world's, whole or half numbers for positions
  kNearlyAligned,  // turned by 1e-16 to 1e-3, or by half a turn but for that
  kFarAway,        // 1e8 from the world's origin
  kScaled,         // as much larger or smaller as the pool's scales say
  kSizeRatio,      // one 2^20 times the other
  kInBody,         // shapes with poses of their own inside their bodies
};
inline constexpr int kRegimeCount = static_cast<int>(Regime::kInBody) + 1;
const char* Name(Regime regime);

struct Question {
  Regime regime = Regime::kAnyPose;
  const ConvexShape* shape_a = nullptr;
  const ConvexShape* shape_b = nullptr;
  Pose pose_a = {};
  Pose pose_b = {};
  Pose local_a = {};
  Pose local_b = {};

  PosedShape PosedA() const { return {*shape_a, pose_a, local_a}; }
  PosedShape PosedB() const { return {*shape_b, pose_b, local_b}; }
  double Size() const { return shape_a->bounding_radius() + shape_b->bounding_radius(); }
  bool IsCurved() const { return shape_a->is_curved() || shape_b->is_curved(); }
};

struct MotionQuestion {
  Question start;
  Motion motion_a = {};
  Motion motion_b = {};
  double target_distance = 0;

  MovingShape MovingA() const { return {*start.shape_a, start.pose_a, motion_a, start.local_a}; }
  MovingShape MovingB() const { return {*start.shape_b, start.pose_b, motion_b, start.local_b}; }
};

// The shapes of Regime::kScaled are 2^huge or 2^tiny times as large as others.
struct PoolScales {
  int huge = 300;
  int tiny = -320;
};

// Thread-compatible. The same seed makes the same questions in the same order. A question lives no
// longer than its shapes, which all copies of a pool share.
class QuestionPool {
 public:
  explicit QuestionPool(std::uint64_t seed, const PoolScales& scales = {});

  // From now on the shape is asked about as the pool's own are.
  void Add(ConvexShapePtr shape) { shapes_.push_back(std::move(shape)); }

  Question Next();
  // kNearContact stands for kAnyPose: what is near contact only an answer tells (below).
  Question Next(Regime regime);

  // The same pair moved along its normal to any gap or overlap near 0 (of 1e-16 to 1 of its size).
  Question NearContact(const Question& question, const DistanceAnswer& answer);

  // Starting there; both bodies move, and turn where asked to.
  MotionQuestion InMotion(const Question& question, bool turns);

  Random& random() { return random_; }

 private:
  struct Generated {
    ConvexShapePtr a, b;
    Pose pose_a, pose_b;
  };

  const ConvexShape* Any(const std::vector<ConvexShapePtr>& shapes);
  Question Place(Regime regime, const ConvexShape* a, const ConvexShape* b);
  Question AnyGenerated();
  Question Twins();
  Motion AnyMotion(const Question& question, const Vec3d& towards, bool turns);

  Random random_;
  std::vector<Generated> generated_;
  std::vector<ConvexShapePtr> shapes_;  // a metre or so
  std::vector<ConvexShapePtr> small_;   // a micrometre
  std::vector<ConvexShapePtr> huge_;
  std::vector<ConvexShapePtr> tiny_;
};

// Every number as an exact hexadecimal double.
std::string Describe(const Question& question);
std::string Describe(const MotionQuestion& question);

}  // namespace clearance::testing
