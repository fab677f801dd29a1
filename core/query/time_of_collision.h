// SPDX-License-Identifier: Apache-2.0
//
// When two moving shapes first come within a distance of each other: never late.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "core/math/pose.h"
#include "core/query/distance.h"

namespace clearance {

struct PortalResult;

// A motion: at time t in [0, 1] a body is turned by t * rotation about the pivot, then moved by t *
// displacement:
//     p_W(t) = Exp(t * rotation) (p_W(0) - pivot) + pivot + t * displacement.
struct Motion {
  Vec3d displacement;  // metres, world axes
  Vec3d rotation;      // radians, world axes, at most kMaxRotation long
  Vec3d pivot;  // metres, world frame at t = 0; the start pose's p_WS for the shape's own origin;
                // immaterial if nothing turns
};

// The fault that keeps an end pose from being one end of a motion: half a turn, to rounding, has
// two shortest paths.
enum class EndPoseFault { kNone, kAmbiguous };

// Finds the motion whose origin goes straight and whose rotation takes the shortest path from start
// to end. Requires: FindPoseFault is kNone of both.
EndPoseFault MotionToEndPose(const Pose& start, const Pose& end, Motion* motion);

// Requires: start is valid as for PosedShape, motion is finite, |rotation| <= kMaxRotation, and the
// shape stays representable along the way (IsMotionRepresentable).
struct MovingShape {
  const ConvexShape& shape;
  const Pose& start;  // of the body that the shape is or belongs to
  const Motion& motion;
  const Pose& local = kIdentityPose;  // of the shape in that body
};

// Returns false if a point of a body of this radius about its origin could overflow a double during
// its motion.
bool IsMotionRepresentable(double bounding_radius, const Pose& start, const Motion& motion);

enum class MotionState : std::uint8_t {
  kFree = 1,  // farther than target_distance on all of [t_leave, 1]
  kHit = 2,   // farther on [t_leave, t_free), within target_distance + tolerance at t_hit
  kInitiallyOverlapping = 3,  // within target_distance + tolerance at t = 0, and not ignored
  kUndecided = 4,             // farther on [t_leave, t_free), not known after
};

// On [t_begin, t_end] the bodies are farther apart along n_W, fixed in the world, than the target.
struct ProvedInterval {
  double t_begin = 0;
  double t_end = 0;
  Vec3d n_W;  // from A to B, unit to rounding
  // For a compound: the pieces that this is proved of.
  std::uint32_t piece_a = 0;
  std::uint32_t piece_b = 0;
};

// The proof that a motion is free before t_free: the intervals follow each other without a gap from
// 0 (from t_leave of an ignored contact) to t_free, as far as they fit in. For a compound those of
// each pair of pieces do, one pair after the other.
struct MotionProof {
  static constexpr int kCapacity = 256;
  int size = 0;
  bool is_truncated = false;
  std::array<ProvedInterval, kCapacity> intervals;
};

struct MotionOptions {
  double target_distance = 0;  // metres, >= 0: how far before contact to stop
  // Bodies that are within the target distance at t = 0 may leave: if they are proved never to come
  // nearer than they are and to be apart by some t_leave, the search begins there.
  bool ignore_initial_contact = false;
  MotionProof* proof = nullptr;  // filled if not null
  WorkBudget* budget = nullptr;  // as DistanceOptions has it, of single shapes too
};

struct TimeOfCollisionAnswer {
  MotionState state = MotionState::kUndecided;
  UndecidedReason reason = UndecidedReason::kNone;
  double t_free = 0;  // 0 <= t_free <= t_hit <= 1
  double t_hit = 0;
  // For an ignored initial contact: when the bodies are apart, <= t_free. Otherwise 0.
  double t_leave = 0;
  // The contact, of kHit and kInitiallyOverlapping; metres, world frame. For a hit these are the
  // closest points and the unit normal at t_hit (at t_free, less than 2^-30 before, if the bodies
  // overlap by then); p_WB = p_WA + distance * n_AB, to rounding.
  double distance = 0;
  Vec3d p_WA, p_WB;
  Vec3d n_AB;
  std::uint32_t piece_a = 0;  // of a compound: the piece that hits first
  std::uint32_t piece_b = 0;
  std::uint32_t iterations = 0;  // distance computations, and one if a ray was cast
};

// Returns the time of collision. Never fails, never allocates, any thread; bounded by
// kMaxMotionSteps.
TimeOfCollisionAnswer TimeOfCollision(const MovingShape& a, const MovingShape& b,
                                      const MotionOptions& options);

struct TimeOfCollisionQuestion {
  MovingShape a;
  MovingShape b;
  MotionOptions options;
};

// Returns the same for a pair whose ray was cast already. Requires: the result of SearchPortal
// (portal.h) for the pair at the start and B's path relative to A, which is no proved miss
// (IsProvedMiss); bodies that do not turn.
TimeOfCollisionAnswer TimeOfCollisionAfterPortal(const TimeOfCollisionQuestion& question,
                                                 const PortalResult& cast);

// Answers many at once. Polytopes that do not turn, and have neither a radius nor a target
// distance, go side by side in vector instructions; the others, and those of which a proof is
// asked, one by one. Each answer is that of TimeOfCollision, bit for bit. Best by multiples of
// kTimesOfCollisionAtOnce. Requires: equal lengths.
inline constexpr std::size_t kTimesOfCollisionAtOnce = 32;
void TimesOfCollision(absl::Span<const TimeOfCollisionQuestion> questions,
                      absl::Span<TimeOfCollisionAnswer> answers);

}  // namespace clearance
