// SPDX-License-Identifier: Apache-2.0
//
// The queries on bodies, which may be compounds. The signed distance of two compounds is the least
// of those of their pairs of pieces, so every proof of a compound is one of pieces. Pairs that
// bounding balls prove too far apart to matter are left out, and the rest are asked one by one. The
// answer does not depend on the order in which they are asked.

#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "core/math/assert.h"
#include "core/math/pose.h"
#include "core/query/distance.h"
#include "core/query/intersection.h"
#include "core/query/time_of_collision.h"
#include "core/shape/rigid_body.h"

namespace clearance {

// Keeps references. Requires of every query: FindPoseFault is kNone of the pose and IsRepresentable
// with the body's bounding radius.
struct PosedBody {
  const RigidBody& body;
  const Pose& pose;
};

// Keeps references. Requires: as MovingShape; the default pivot is the body's origin.
struct MovingBody {
  const RigidBody& body;
  const Pose& start;
  const Motion& motion;
};

// Requires: a piece of the body.
inline PosedShape PieceOf(const PosedBody& posed, std::uint32_t i) {
  CLEARANCE_ASSERT(i < posed.body.pieces().size());
  const Piece& piece = posed.body.pieces()[i];
  return {*piece.shape, posed.pose, piece.local};
}
inline MovingShape PieceOf(const MovingBody& moving, std::uint32_t i) {
  CLEARANCE_ASSERT(i < moving.body.pieces().size());
  const Piece& piece = moving.body.pieces()[i];
  return {*piece.shape, moving.start, moving.motion, piece.local};
}

// None of these fails or allocates; any thread. The work is at most that of pieces_a * pieces_b
// convex queries.

// Returns the answer of the pair of pieces with the least upper bound (of equal ones the first by
// piece_a, then piece_b), with the bracket of the whole: lower and upper are the least over all
// pairs. It is kPenetrating if one pair is, otherwise kUndecided if one is, otherwise kTouching if
// one is. tolerance is the larger of those of the pairs that the bracket's ends come from. For
// compounds options.start is not used.
DistanceAnswer Distance(const PosedBody& a, const PosedBody& b, const DistanceOptions& options);

struct BodyDistanceQuestion {
  PosedBody a;
  PosedBody b;
  DistanceOptions options;
};

// As Distances of distance.h; compounds are answered one by one.
void Distances(absl::Span<const BodyDistanceQuestion> questions,
               absl::Span<DistanceAnswer> answers);

// Returns the state of the whole by the same rule; stops at the first pair proved to penetrate.
IntersectionAnswer Intersection(const PosedBody& a, const PosedBody& b,
                                const IntersectionOptions& options = {});

struct BodyIntersectionQuestion {
  PosedBody a;
  PosedBody b;
  IntersectionOptions options;
};

// As Intersections of intersection.h; compounds are answered one by one.
void Intersections(absl::Span<const BodyIntersectionQuestion> questions,
                   absl::Span<IntersectionAnswer> answers);

// Returns the earliest contact of any pair of pieces. The least t_free of all pairs is taken;
// everything else is that of the pair that hits first (of equal t_hit the one with the least
// t_free, then the first by piece_a, then piece_b). A pair that could not be decided makes the
// whole kUndecided only if it is proved free for less time than the pairs that hit. If bodies
// overlap initially, the contact is that of Distance. The greatest t_leave of all pairs is taken,
// but never more than t_free. With options.proof every pair is asked, whatever the balls prove.
TimeOfCollisionAnswer TimeOfCollision(const MovingBody& a, const MovingBody& b,
                                      const MotionOptions& options);

struct BodyTimeOfCollisionQuestion {
  MovingBody a;
  MovingBody b;
  MotionOptions options;
};

// As TimesOfCollision of time_of_collision.h; compounds are answered one by one.
void TimesOfCollision(absl::Span<const BodyTimeOfCollisionQuestion> questions,
                      absl::Span<TimeOfCollisionAnswer> answers);

}  // namespace clearance
