// SPDX-License-Identifier: Apache-2.0
//
// Questions about scenes and their answers, in columns: mirrors
// proto/clearance/v1/scene_query.proto and scene_query_service.proto, which say what each column
// means and what every call may answer. A session (session.h) asks many of them over scenes that it
// holds open, with bodies of its own; SceneQueryClient asks one at a time:
//
//   SceneSetting setting{.shapes = {{ByName{"gripper"}}}, .scene = OpenScene{.name = "cell"}};
//   setting.bodies.bodies = {.count = 1, .ids = {100}, .shape_slots = {0}};
//   CheckBatch batch{.configurations = {.count = 1, .scene_slot = 0}, .detail = {.pairs = true}};
//   absl::StatusOr<CheckResult> answer = SceneQueryClient(client).Check(setting, batch);

#ifndef CLEARANCE_SCENE_QUERY_H_
#define CLEARANCE_SCENE_QUERY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "clearance/client.h"
#include "clearance/error.h"
#include "clearance/proof.h"
#include "clearance/query.h"
#include "clearance/scene.h"

namespace clearance::client {

// Puts a revision of a scene into a slot, where it stays whatever becomes of the scene.
struct OpenScene {
  std::uint32_t scene_slot = 0;
  std::string name = {};
  std::uint64_t revision = 0;      // 0: the newest
  std::uint64_t min_revision = 0;  // this one or a later one
};

struct OpenedScene {
  std::uint32_t scene_slot = 0;
  SceneInfo scene;  // of the revision that is held
};

struct CloseScene {
  std::uint32_t scene_slot = 0;
};

struct ClosedScene {
  std::uint32_t scene_slot = 0;
};

// Of the own bodies: change.bodies.shapes is empty, its shape_slots are those of shapes. Number
// them apart from the scene's: a question of an own body with the id of a body of the scene is
// refused, unless a rule of the id with itself says that it is that body.
struct ChangeBodies {
  bool reset = false;  // begin with no bodies and no rules
  SceneChange change = {};
};

struct ChangedBodies {
  std::uint32_t body_count = 0;  // that there are now
  std::uint32_t rule_count = 0;
};

enum class Among : std::uint8_t { kSceneAndSelf = 0, kScene = 1, kSelf = 2 };

// What is proved of a configuration, or of a pair of one.
enum class Verdict : std::uint8_t {
  kUnspecified = 0,
  kFree = 1,
  kTouching = 2,
  kUndecided = 3,  // never take it for free
  kRefused = 4,
};

const char* Name(Verdict verdict);

// Where the own bodies stand: poses are 7 numbers a body, in the order of the ids.
struct Configurations {
  std::uint32_t count = 0;
  std::optional<std::uint32_t> scene_slot = {};
  Among among = Among::kSceneAndSelf;
  std::vector<double> poses = {};
  // Of the own bodies, so that a session can send many rows in pieces; 0: they are sent in one.
  std::uint32_t body_count = 0;
};

struct CheckDetail {
  bool pairs = false;
  bool bounds = false;
  bool free_radii = false;
};

struct CheckBatch {
  Configurations configurations = {};
  BatchOptions options = {};
  CheckDetail detail = {};
  std::uint32_t max_pairs = 0;  // above 0: every pair that is not free is listed
};

// Of each row a pair: the own body and the other one.
struct IdPairs {
  std::vector<std::uint32_t> bodies_a;
  std::vector<std::uint32_t> bodies_b;
  std::vector<bool> is_self;
};

// Row i has the pairs offsets[i] up to but without offsets[i + 1].
struct VerdictPairs {
  std::vector<std::uint32_t> offsets;
  IdPairs ids;
  std::vector<Verdict> verdicts;
  std::vector<double> lower_bounds;
  std::vector<double> upper_bounds;
  std::vector<bool> truncated;  // 1 a row
};

struct CheckResult {
  std::uint32_t count = 0;
  std::vector<Verdict> verdicts;
  IdPairs first_pairs;
  std::vector<double> lower_bounds;
  std::vector<double> upper_bounds;
  std::vector<double> free_radii;
  VerdictPairs pairs;
  std::vector<Error> errors;
  std::vector<UndecidedRow> undecided;
  std::uint64_t scene_revision = 0;
};

struct ClearanceDetail {
  bool distances = true;
  bool bounds = true;
  bool pairs = false;
  bool points = false;
  bool normals = false;
  bool free_radii = false;
};

struct ClearanceBatch {
  Configurations configurations = {};
  BatchOptions options = {};
  std::vector<double> max_distances = {};  // metres, 1 a row
  double tolerance = 0;                    // metres
  bool exact = false;
  ClearanceDetail detail = {};
};

struct ClearanceResult {
  std::uint32_t count = 0;
  std::vector<State> states;
  std::vector<double> distances;
  std::vector<double> lower_bounds;
  std::vector<double> upper_bounds;
  IdPairs pairs;
  std::vector<double> points_a;
  std::vector<double> points_b;
  std::vector<double> normals;
  std::vector<double> free_radii;
  std::vector<Error> errors;
  std::vector<UndecidedRow> undecided;
  std::uint64_t scene_revision = 0;
};

struct NearestDetail {
  bool distances = true;
  bool bounds = true;
  bool points = false;
  bool normals = false;
};

struct NearestBatch {
  Configurations configurations = {};
  BatchOptions options = {};
  std::uint32_t max_pairs = 1;  // of each row
  std::vector<double> max_distances = {};
  double tolerance = 0;
  bool exact = false;
  NearestDetail detail = {};
};

struct NearestPairs {
  std::vector<std::uint32_t> offsets;
  IdPairs ids;
  std::vector<State> states;
  std::vector<double> distances;
  std::vector<double> lower_bounds;
  std::vector<double> upper_bounds;
  std::vector<double> points_a;
  std::vector<double> points_b;
  std::vector<double> normals;
};

struct NearestResult {
  std::uint32_t count = 0;
  std::vector<State> states;
  NearestPairs pairs;
  std::vector<Error> errors;
  std::vector<UndecidedRow> undecided;
  std::uint64_t scene_revision = 0;
};

// Shapes of slots, one a row, against the scene.
struct OverlapBatch {
  std::uint32_t count = 0;
  std::uint32_t scene_slot = 0;
  BatchOptions options = {};
  std::vector<std::uint32_t> shape_slots = {};
  std::vector<double> poses = {};
  std::vector<double> margins = {};
  std::vector<std::uint32_t> groups = {};
  std::vector<std::uint32_t> masks = {};
  std::uint32_t max_pairs = 0;  // 0: verdicts alone
  bool bounds = false;
};

struct OverlapResult {
  std::uint32_t count = 0;
  std::vector<Verdict> verdicts;
  VerdictPairs pairs;
  std::vector<Error> errors;
  std::vector<UndecidedRow> undecided;
  std::uint64_t scene_revision = 0;
};

struct SweepDetail {
  bool times = true;
  bool pairs = false;
  bool points = false;
  bool normals = false;
  bool distances = false;
};

// When do the own bodies, each on its own screw, first touch? The links of an arm whose joints move
// go another way: ProveJointMotions (joint_motion.h).
struct MotionBatch {
  Configurations configurations = {};  // at t = 0
  BatchOptions options = {};
  std::vector<double> displacements = {};  // 3 numbers a body, metres
  std::vector<double> rotations = {};      // 3 numbers a body, radians
  std::vector<double> end_poses = {};      // 7 numbers a body, in place of both
  bool ignore_initial_contact = false;     // bodies in contact at t = 0 may leave, until t_leave
  SweepDetail detail = {};
  std::uint32_t max_pairs = 0;  // above 0: every pair that is met is listed
};

struct RayBatch {
  std::uint32_t count = 0;
  std::uint32_t scene_slot = 0;
  BatchOptions options = {};
  std::vector<double> origins = {};        // metres
  std::vector<double> displacements = {};  // the whole way, metres
  std::vector<double> radii = {};          // of balls in place of points, metres
  std::vector<std::uint32_t> groups = {};
  std::vector<std::uint32_t> masks = {};
  bool any = false;  // any hit will do
  SweepDetail detail = {};
  std::uint32_t max_pairs = 0;
};

struct SweepPairs {
  std::vector<std::uint32_t> offsets;
  IdPairs ids;
  std::vector<MotionState> states;
  std::vector<double> t_free;
  std::vector<double> t_hit;
  std::vector<double> t_leave;
  std::vector<double> distances;
  std::vector<double> points_a;
  std::vector<double> points_b;
  std::vector<double> normals;
  std::vector<bool> truncated;  // 1 a row
};

// Of a MotionBatch or a RayBatch.
struct SweepResult {
  std::uint32_t count = 0;
  std::vector<MotionState> states;
  std::vector<double> t_free;
  std::vector<double> t_hit;
  std::vector<double> t_leave;
  IdPairs pairs;
  std::vector<double> distances;
  std::vector<double> points_a;
  std::vector<double> points_b;
  std::vector<double> normals;
  SweepPairs hits;
  std::vector<Error> errors;
  std::vector<UndecidedRow> undecided;
  std::uint64_t scene_revision = 0;
};

// True only if it is proved that nothing touches in this row: as for pairs (proof.h), never of a
// row that is undecided, refused or not there.
bool ProvedFree(const CheckResult& result, std::size_t row);
bool ProvedFree(const OverlapResult& result, std::size_t row);
// Everything is farther apart than `margin` metres.
bool ProvedFree(const ClearanceResult& result, std::size_t row, double margin = 0);
// Nothing is met on the whole way; with ignore_initial_contact, from t_leave on, before which the
// bodies may touch.
bool ProvedFree(const SweepResult& result, std::size_t row);

// Metres that every own body (each of its points) may move, any way, and the row stays free, as far
// as the answer has free radii; 0 of a row that is not free, or without them.
double FreeMotionRadius(const CheckResult& result, std::size_t row);
double FreeMotionRadius(const ClearanceResult& result, std::size_t row);

// Whether the row is still free after the own bodies moved so.
bool StillFree(const CheckResult& result, std::size_t row, absl::Span<const BodyMotion> motions);
bool StillFree(const ClearanceResult& result, std::size_t row,
               absl::Span<const BodyMotion> motions);

// Checks that pair i of a list is as far apart as the list says, by itself, as VerifyDistance does
// (proof.h): the lower bound by the supports of both shapes along the normal, in 113-bit
// arithmetic. `a` is the own body, `b` the other one. Ask for bounds and normals. Where distances
// are present they must lie within the bounds, and the points must be that far apart along
// the normal; that the points are the shapes' own, and so that the shapes are no farther apart, is
// not checked: VerifyDistance does. Only of SEPARATED pairs is anything proved, and of none with a
// compound: kNoProof. Empty means proved: no two points of the shapes are nearer than the lower
// bound.
std::vector<Violation> VerifySeparation(const PosedShape& a, const PosedShape& b,
                                        const NearestPairs& pairs, std::size_t i);

// What a unary question is about: shapes by slot, a scene in its slot (unset: own bodies alone, or
// none), and the own bodies, numbered apart from the scene's (ChangeBodies).
struct SceneSetting {
  ShapeTable shapes = {};
  std::optional<OpenScene> scene = {};
  SceneChange bodies = {};
};

// A handle on a client's connection; as thread-safe as that. One message each: a batch beyond the
// server's limits is refused. A Session splits it. Overlaps have no own bodies, and rays no shapes.
class SceneQueryClient {
 public:
  explicit SceneQueryClient(Client client) : client_(std::move(client)) {}

  absl::StatusOr<CheckResult> Check(const SceneSetting& setting, const CheckBatch& batch) const;
  absl::StatusOr<ClearanceResult> Clearance(const SceneSetting& setting,
                                            const ClearanceBatch& batch) const;
  absl::StatusOr<NearestResult> Nearest(const SceneSetting& setting,
                                        const NearestBatch& batch) const;
  absl::StatusOr<OverlapResult> Overlap(const SceneSetting& setting,
                                        const OverlapBatch& batch) const;
  absl::StatusOr<SweepResult> Motion(const SceneSetting& setting, const MotionBatch& batch) const;
  absl::StatusOr<SweepResult> Ray(const SceneSetting& setting, const RayBatch& batch) const;

 private:
  Client client_;
};

}  // namespace clearance::client

#endif  // CLEARANCE_SCENE_QUERY_H_
