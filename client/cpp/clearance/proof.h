// SPDX-License-Identifier: Apache-2.0
//
// Conclusions from an answer, and checks of an answer that do not trust the server.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "clearance/query.h"
#include "clearance/shape.h"

namespace clearance::client {

// Returns whether the pair of this row is proved farther apart than `margin` metres.
//
// That is: its state is kSeparated or kBeyond, and its lower bound exceeds the margin. It is never
// true for other states; a negative margin counts as 0. Without a column of bounds only kSeparated
// with margin 0 is proved. False for a margin that is NaN and for a row that does not exist.
bool ProvedFree(const DistanceResult& result, std::size_t row, double margin = 0);
bool ProvedFree(const IntersectionResult& result, std::size_t row, double margin = 0);

// Returns whether the row is kFree: farther apart than the target distance during the whole motion.
// With ignore_initial_contact that holds from t_leave on; before it the bodies may touch.
bool ProvedFree(const TimeOfCollisionResult& result, std::size_t row);

// A body's motion since its answer. Its origin moved by `translation` metres, and the body rotated
// by `rotation` radians (the angle) about it. bounding_radius (ShapeInfo) is about the same origin,
// metres.
struct BodyMotion {
  double translation = 0;
  double rotation = 0;
  double bounding_radius = 0;
};

// Returns an upper bound, metres, on the displacement of every point of the body: |translation| + 2
// bounding_radius sin(min(rotation, pi) / 2), rounded up.
double LargestDisplacement(const BodyMotion& motion);

// Returns how far, metres, both bodies together may move until they may touch or part. While they
// move less, a pair that is apart (kSeparated, kBeyond) stays apart, and one that overlaps
// (kPenetrating) keeps overlapping: a positive radius alone does not mean that the row is free. It
// is the lower bound of the former, minus the upper bound of the latter, and 0 for other rows.
double FreeMotionRadius(const DistanceResult& result, std::size_t row);

// Returns whether it is still proved after both bodies moved that the pair is apart, or overlaps,
// as the row says.
bool StillHolds(const DistanceResult& result, std::size_t row, const BodyMotion& a,
                const BodyMotion& b);

// A shape and its pose when the question was asked.
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

// Proves one row with 113-bit arithmetic, without code of the server; empty means proved.
//
// The supports along the normal prove the lower bound, the weighted witnesses the upper bound. For
// penetrating cores the witnesses' differences must enclose the origin strictly. Ask for bounds,
// normals and witnesses; for cylinders, cones and ellipsoids also for relative points. Points and
// distances are checked if they are present. An overlapping core of a cylinder, a cone or an
// ellipsoid is kNoProof, and so is a compound.
//
// The state is proved strictly. A bound is accepted if it is proved to within 64 * 2^-53 * (S +
// |d|), with S the sum of both bounding radii, because the normal and the weights were rounded. The
// upper bound of overlapping cores needs depth proofs; without them only its sign is proved.
std::vector<Violation> VerifyDistance(const PosedShape& a, const PosedShape& b,
                                      const DistanceResult& result, std::size_t row);

}  // namespace clearance::client
