// SPDX-License-Identifier: Apache-2.0
//
// Batches of questions about pairs of shapes and their answers, in columns, as plain structs. They
// mirror proto/clearance/v1/query.proto, which states the meaning of every column. A column of a
// question has length 0 (its default), 1 row (it stands for all rows) or `count` rows. A column of
// an answer is empty (it was not asked for) or has a row for every row of the question. Numbers
// without a meaning in the state of their row are NaN: the distance, points and normal of BEYOND,
// UNDECIDED and REFUSED rows, and the contact of rows that have none. Their bounds are infinite.
// Batch::Result is the struct that answers a batch.

#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "clearance/error.h"
#include "clearance/shape.h"

namespace clearance::client {

// The proved state of a pair.
enum class State : std::uint8_t {
  kUnspecified = 0,
  kSeparated = 1,    // lower_bound > 0
  kTouching = 2,     // lower_bound <= 0 <= upper_bound, within the tolerance
  kPenetrating = 3,  // upper_bound < 0
  kBeyond = 4,       // farther apart than max_distance
  kUndecided = 5,    // never take it for free
  kRefused = 6,      // see `errors`
};

// The proved state of a pair along a motion.
enum class MotionState : std::uint8_t {
  kUnspecified = 0,
  kFree = 1,
  kHit = 2,
  kInitiallyOverlapping = 3,
  kUndecided = 4,  // free in [0, t_free), not known after: never take it for free
  kRefused = 5,
};

enum class UndecidedReason : std::uint8_t {
  kUnspecified = 0,
  kBudget = 1,
  kIterations = 2,
  kPrecision = 3,
  kWork = 4
};

// Returns the names in capitals: "SEPARATED", "INITIALLY_OVERLAPPING", …
const char* Name(State state);
const char* Name(MotionState state);
const char* Name(UndecidedReason reason);

struct UndecidedRow {
  std::uint32_t index = 0;
  UndecidedReason reason = UndecidedReason::kUnspecified;
};

// The rows of a batch. Slots are those that a session opened, or indices of a unary call's shapes;
// by default 0 for A and 1 for B. Poses are 7 numbers a row, as PoseColumn makes them; by default
// the identity.
struct Pairs {
  std::uint32_t count = 0;
  std::vector<std::uint32_t> slots_a = {};
  std::vector<std::uint32_t> slots_b = {};
  std::vector<double> poses_a = {};
  std::vector<double> poses_b = {};
};

// A list of poses, such as a std::vector<Pose>.
template <class List>
concept PoseList = std::convertible_to<const List&, absl::Span<const Pose>>;

// Returns a column of these poses, for any member that takes poses.
std::vector<double> PoseColumn(absl::Span<const Pose> poses);
void AppendPoses(absl::Span<const Pose> poses, std::vector<double>* column);
void AppendPose(const Pose& pose, std::vector<double>* column);
void AppendVec3(const Vec3& vector, std::vector<double>* column);

// Returns the row's value of a column of poses by the rules above. Requires: row < count, the
// column fits.
Pose PoseOfRow(const std::vector<double>& column, std::size_t row);

// The answer about one pair. The points and the normal are in the world frame, metres.
struct PairDistance {
  State state = State::kUnspecified;
  bool intersects = true;          // false only if the shapes are proved apart
  std::optional<double> distance;  // signed, metres; none if undecided, as below
  double lower_bound = 0;
  double upper_bound = 0;
  std::optional<Vec3> point_a;  // the closest or deepest points of both surfaces
  std::optional<Vec3> point_b;
  std::optional<Vec3> normal;  // unit, from A to B
  UndecidedReason undecided_reason = UndecidedReason::kUnspecified;
  std::uint64_t revision = 0;  // of the registry
};

struct BatchOptions {
  // From the message's arrival at the server; rows not reached come back kUndecided.
  absl::Duration time_budget = absl::InfiniteDuration();
  // 0: the size that the client is set to receive (ClientOptions::max_receive_bytes).
  std::uint32_t max_reply_bytes = 0;
};

struct DistanceDetail {
  bool distances = true;
  bool bounds = true;
  bool points = false;
  bool normals = false;
  bool relative_points = false;
  bool witnesses = false;
  bool iterations = false;
  bool tolerances = false;
  bool pieces = false;
  bool contacts = false;
  bool depth_proofs = false;
};

struct DistanceBatch {
  using Result = struct DistanceResult;

  Pairs pairs = {};
  BatchOptions options = {};
  std::vector<double> max_distances = {};  // metres, 1 a row
  double tolerance = 0;                    // metres
  bool exact = false;                      // if the bracket holds 0, exact arithmetic decides
  bool warm_start = false;  // of a session: each row begins where the last batch's row ended
  // Contacts whose points are farther apart are left out; metres, of either sign.
  std::optional<double> max_contact_separation = {};
  DistanceDetail detail = {};
};

// Row i has the witnesses offsets[i] up to but without offsets[i + 1].
struct Witnesses {
  std::vector<std::uint32_t> offsets;
  std::vector<std::uint32_t> vertices_a;
  std::vector<std::uint32_t> vertices_b;
  std::vector<double> weights;
};

// Row i has the contacts offsets[i] up to but without offsets[i + 1]: 3 numbers a point, 2 a
// feature.
struct Contacts {
  std::vector<std::uint32_t> offsets;
  std::vector<double> points_a;
  std::vector<double> points_b;
  std::vector<double> distances;
  std::vector<std::uint32_t> features_a;
  std::vector<std::uint32_t> features_b;
  std::vector<bool> truncated;  // 1 a row
};

// Row i has the corners offsets[i] up to but without offsets[i + 1] and the triangles
// facet_offsets[i] up to but without facet_offsets[i + 1], 3 numbers each.
struct DepthProofs {
  std::vector<std::uint32_t> offsets;
  std::vector<std::uint32_t> vertices_a;
  std::vector<std::uint32_t> vertices_b;
  std::vector<std::uint32_t> facet_offsets;
  std::vector<std::uint32_t> facets;
  std::vector<bool> truncated;  // 1 a row
};

// Bits of DistanceResult::flags.
inline constexpr std::uint32_t kNormalNotUnique = 1;  // the normal is one of several
// The distance is that of the deepest pair of pieces of compounds.
inline constexpr std::uint32_t kPiecewise = 2;

struct DistanceResult {
  std::uint32_t count = 0;
  std::vector<State> states;
  std::vector<double> distances;
  std::vector<double> lower_bounds;
  std::vector<double> upper_bounds;
  std::vector<double> points_a;
  std::vector<double> points_b;
  std::vector<double> normals;
  std::vector<double> relative_points_a;
  std::vector<double> relative_points_b;
  Witnesses witnesses;
  std::vector<std::uint32_t> iterations;
  std::vector<double> tolerances;
  // kNormalNotUnique, kPiecewise.
  std::vector<std::uint32_t> flags;
  std::vector<std::uint32_t> pieces_a;
  std::vector<std::uint32_t> pieces_b;
  Contacts contacts;
  DepthProofs depth_proofs;
  std::vector<Error> errors;
  std::vector<UndecidedRow> undecided;
};

struct IntersectionDetail {
  bool bounds = false;
  bool iterations = false;
};

struct IntersectionBatch {
  using Result = struct IntersectionResult;

  Pairs pairs = {};
  BatchOptions options = {};
  IntersectionDetail detail = {};
  bool exact = false;  // the same as in DistanceBatch
};

struct IntersectionResult {
  std::uint32_t count = 0;
  std::vector<State> states;
  std::vector<double> lower_bounds;
  std::vector<double> upper_bounds;
  std::vector<std::uint32_t> iterations;
  std::vector<Error> errors;
  std::vector<UndecidedRow> undecided;
};

struct TimeOfCollisionDetail {
  bool times = true;
  bool points = false;
  bool normals = false;
  bool iterations = false;
  bool distances = false;
  bool proofs = false;
  bool pieces = false;
};

// Each motion is a displacement (metres), a rotation vector (radians) and a pivot, or an end pose.
struct TimeOfCollisionBatch {
  using Result = struct TimeOfCollisionResult;

  Pairs pairs = {};  // at t = 0
  BatchOptions options = {};
  std::vector<double> displacements_a = {};
  std::vector<double> displacements_b = {};
  std::vector<double> rotations_a = {};
  std::vector<double> rotations_b = {};
  std::vector<double> pivots_a = {};
  std::vector<double> pivots_b = {};
  std::vector<double> end_poses_a = {};
  std::vector<double> end_poses_b = {};
  std::vector<double> target_distances = {};
  bool ignore_initial_contact = false;  // bodies in contact at t = 0 may leave
  TimeOfCollisionDetail detail = {};
};

// Row i has the intervals offsets[i] up to but without offsets[i + 1]; normals are 3 numbers an
// interval.
struct MotionProofs {
  std::vector<std::uint32_t> offsets;
  std::vector<double> t_begin;
  std::vector<double> t_end;
  std::vector<double> normals;
  std::vector<bool> truncated;  // 1 a row
  std::vector<std::uint32_t> pieces_a;
  std::vector<std::uint32_t> pieces_b;
};

struct TimeOfCollisionResult {
  std::uint32_t count = 0;
  std::vector<MotionState> states;
  std::vector<double> t_free;
  std::vector<double> t_hit;
  std::vector<double> t_leave;  // only if initial contact is ignored
  std::vector<double> distances;
  std::vector<double> points_a;
  std::vector<double> points_b;
  std::vector<double> normals;
  std::vector<std::uint32_t> iterations;
  MotionProofs proofs;
  std::vector<std::uint32_t> pieces_a;
  std::vector<std::uint32_t> pieces_b;
  std::vector<Error> errors;
  std::vector<UndecidedRow> undecided;
};

}  // namespace clearance::client
