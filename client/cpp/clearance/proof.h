// SPDX-License-Identifier: Apache-2.0
//
// What a caller may conclude from an answer, and how to check an answer without trusting the
// server.

#ifndef CLEARANCE_PROOF_H_
#define CLEARANCE_PROOF_H_

#include <cstddef>
#include <string>
#include <vector>

#include "clearance/query.h"
#include "clearance/shape.h"

namespace clearance::client {

// True only if the pair of this row is proved to be farther apart than `margin` metres: its state
// is kSeparated or kBeyond and its lower bound exceeds the margin. Never true of kTouching,
// kPenetrating, kUndecided or kRefused, whatever the margin: a negative one (how deep an overlap is
// accepted) counts as 0. Without a column of bounds only kSeparated with margin 0 is proved. False
// for a margin that is NaN and for a row that does not exist.
bool ProvedFree(const DistanceResult& result, std::size_t row, double margin = 0);
bool ProvedFree(const IntersectionResult& result, std::size_t row, double margin = 0);

// True only for kFree: farther apart than the target distance during the whole motion; with
// ignore_initial_contact, from t_leave on, before which the bodies may touch.
bool ProvedFree(const TimeOfCollisionResult& result, std::size_t row);

// How far a body has moved since its answer: its origin by `translation` metres, and turned by
// `rotation` radians (the angle) about it. bounding_radius (ShapeInfo) is that of the body about
// the same origin, metres.
struct BodyMotion {
  double translation = 0;
  double rotation = 0;
  double bounding_radius = 0;
};

// No point of the body moved farther than this, metres: |translation| + 2 bounding_radius
// sin(min(rotation, pi) / 2), rounded up.
double LargestDisplacement(const BodyMotion& motion);

// The verdict of the row (separated or penetrating; of kBeyond: separated) holds as long as both
// bodies' displacements sum to less than this, metres: the lower bound of a separated pair, minus
// the upper bound of a penetrating one; 0 of any other.
double FreeMotionRadius(const DistanceResult& result, std::size_t row);

// Whether the verdict of the row is still proved after both bodies moved.
bool StillHolds(const DistanceResult& result, std::size_t row, const BodyMotion& a,
                const BodyMotion& b);

// A shape and where it stood when the question was asked.
struct PosedShape {
  const Shape& shape;
  const Pose& pose;
};

enum class ViolationKind {
  kNoProof,    // the row claims nothing that can be proved, or lacks bounds, normals or witnesses
  kMalformed,  // columns too short, numbers that are not finite, weights that are no weights
  kWitnessId,  // a vertex that the shape does not have
  kState,  // the state contradicts its own bounds, or is not proved by the normal and the witnesses
  kLowerBound,  // the supports along the normal do not prove it
  kUpperBound,  // the witnesses do not prove it
  kNormal,      // not of unit length
  kDistance,    // outside its bounds
  kPoint,       // not where the witnesses say, or point_b != point_a + distance * normal
};

struct Violation {
  ViolationKind kind;
  std::string message;
};

// Checks one row by itself, with 113-bit arithmetic over all vertices of both shapes: the lower
// bound by the supports along the normal, the upper bound by the weighted witnesses, and of
// penetrating cores that the witnesses' differences hold the origin strictly inside. No code of the
// server is used. Ask for bounds, normals and witnesses, of cylinders, cones and ellipsoids also
// for relative points; points and distances are checked where they are present. Returns what is
// wrong: empty means proved. Where the core of a cylinder, a cone or an ellipsoid
// overlaps another core the answer is kNoProof, and so is every one about a compound.
//
// The state is proved strictly. A bound is accepted if it is proved to within 64 * 2^-53 * (S +
// |d|), S the sum of both bounding radii: the normal and the weights have been rounded on their way
// here. Of cores that overlap the upper bound is proved only by depth proofs; where these were not
// asked for, or the row has none, only its sign is.
std::vector<Violation> VerifyDistance(const PosedShape& a, const PosedShape& b,
                                      const DistanceResult& result, std::size_t row);

}  // namespace clearance::client

#endif  // CLEARANCE_PROOF_H_
