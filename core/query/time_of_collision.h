// SPDX-License-Identifier: Apache-2.0
//
// When two moving shapes first come within a distance of each other: never late.

#ifndef CLEARANCE_CORE_QUERY_TIME_OF_COLLISION_H_
#define CLEARANCE_CORE_QUERY_TIME_OF_COLLISION_H_

#include <cstdint>

#include "core/math/pose.h"
#include "core/query/distance.h"

namespace clearance {

// Where a body is at time t in [0, 1]: turned by t * rotation about the pivot, then moved by t *
// displacement:
//     p_W(t) = Exp(t * rotation) (p_W(0) - pivot) + pivot + t * displacement.
struct Motion {
  Vec3d displacement;  // metres, world axes
  Vec3d rotation;      // radians, world axes, at most kMaxRotation long
  Vec3d pivot;  // metres, world frame at t = 0; the start pose's p_WS for the shape's own origin
};

// What keeps an end pose from being one end of a motion: half a turn, to rounding, has two shortest
// ways.
enum class EndPoseFault { kNone, kAmbiguous };

// The motion whose origin goes straight and whose rotation goes the shortest way from start to end.
// Requires: FindPoseFault is kNone of both.
EndPoseFault MotionToEndPose(const Pose& start, const Pose& end, Motion* motion);

// Requires: start is valid as for PosedShape, motion is finite, |rotation| <= kMaxRotation, and the
// shape stays representable along the way (IsMotionRepresentable).
struct MovingShape {
  const ConvexShape& shape;
  const Pose& start;  // of the body that the shape is or belongs to
  const Motion& motion;
  const Pose& local = kIdentityPose;  // of the shape in that body
};

// False if a point of a body of this radius about its origin could overflow a double on its way.
bool IsMotionRepresentable(double bounding_radius, const Pose& start, const Motion& motion);

enum class MotionState : std::uint8_t {
  kFree = 1,                  // farther than target_distance on all of [0, 1]
  kHit = 2,                   // farther on [0, t_free), within target_distance + tolerance at t_hit
  kInitiallyOverlapping = 3,  // within target_distance, or touching, at t = 0
  kUndecided = 4,             // farther on [0, t_free), not known after
};

struct MotionOptions {
  double target_distance = 0;  // metres, >= 0: how far before contact to stop
};

struct TimeOfCollisionAnswer {
  MotionState state = MotionState::kUndecided;
  UndecidedReason reason = UndecidedReason::kNone;
  double t_free = 0;  // 0 <= t_free <= t_hit <= 1
  double t_hit = 0;
  // Closest points at t_hit (at t_free, less than 2^-30 before, if the bodies overlap by then), of
  // kHit; metres, world frame.
  Vec3d p_WA, p_WB;
  Vec3d n_AB;                 // unit normal at t_hit, of kHit
  std::uint32_t piece_a = 0;  // of a compound: the piece that hits first
  std::uint32_t piece_b = 0;
  std::uint32_t iterations = 0;  // distance computations
};

// Never fails, never allocates, any thread; bounded by kMaxMotionSteps.
TimeOfCollisionAnswer TimeOfCollision(const MovingShape& a, const MovingShape& b,
                                      const MotionOptions& options);

}  // namespace clearance

#endif  // CLEARANCE_CORE_QUERY_TIME_OF_COLLISION_H_
