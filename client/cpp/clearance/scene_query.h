// SPDX-License-Identifier: Apache-2.0
//
// Questions about scenes and their answers, in columns.
//
// proto/clearance/v1/scene_query.proto and scene_query_service.proto explain each column and what
// every call may return. A session (session.h) asks many questions about scenes that it holds open,
// with query bodies. SceneQueryClient asks one at a time:
//
//   SceneSetting setting{.shapes = {{ByName{"gripper"}}}, .scene = OpenScene{.name = "cell"}};
//   setting.bodies.bodies = {.count = 1, .ids = {100}, .shape_slots = {0}};
//   CheckBatch batch{.configurations = {.count = 1, .scene_slot = 0}, .detail = {.pairs = true}};
//   absl::StatusOr<CheckResult> answer = SceneQueryClient(client).Check(setting, batch);

#pragma once

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

// Puts a revision of a scene into a slot; later changes of the scene do not affect it.
struct OpenScene {
  using Result = struct OpenedScene;

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
  using Result = struct ClosedScene;

  std::uint32_t scene_slot = 0;
};

struct ClosedScene {
  std::uint32_t scene_slot = 0;
};

// Changes the query bodies. change.bodies.shapes is empty; its shape_slots are slots of shapes.
//
// Number query bodies apart from the scene's bodies. A question about a query body with the id of a
// body of the scene is refused, unless `same_as_scene` says that it is the same body.
struct ChangeBodies {
  using Result = struct ChangedBodies;

  bool reset = false;  // begin with no bodies and no rules
  SceneChange change = {};
  std::vector<std::uint32_t> same_as_scene = {};  // query bodies that are the scene's of their ids
};

struct ChangedBodies {
  std::uint32_t body_count = 0;  // that there are now
  std::uint32_t rule_count = 0;
};

enum class PairScope : std::uint8_t { kSceneAndSelf = 0, kScene = 1, kSelf = 2 };

// States what is proved about a configuration, or about a pair of it.
enum class Verdict : std::uint8_t {
  kUnspecified = 0,
  kFree = 1,
  kTouching = 2,
  kUndecided = 3,  // never take it for free
  kRefused = 4,
};

const char* Name(Verdict verdict);

// Places the query bodies: 7 numbers a body, in the order of the ids.
struct Configurations {
  std::uint32_t count = 0;
  std::optional<std::uint32_t> scene_slot = {};
  PairScope pair_scope = PairScope::kSceneAndSelf;
  std::vector<double> poses = {};
  // Number of query bodies, so that a session can split many rows; 0: they are sent in one message.
  std::uint32_t body_count = 0;
};

struct CheckDetail {
  bool pairs = false;
  bool bounds = false;
  bool free_radii = false;
};

struct CheckBatch {
  using Result = struct CheckResult;

  Configurations configurations = {};
  BatchOptions options = {};
  CheckDetail detail = {};
  std::uint32_t max_pairs = 0;  // above 0: every pair that is not free is listed
};

// A pair of each row: the query body and the other one.
struct IdPairs {
  std::vector<std::uint32_t> bodies_a;
  std::vector<std::uint32_t> bodies_b;
  std::vector<bool> is_self;
};

// Pairs of each row: row i has those with offsets[i] <= k < offsets[i + 1].
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

struct MinimumDistanceDetail {
  bool distances = true;
  bool bounds = true;
  bool pairs = false;
  bool points = false;
  bool normals = false;
  bool free_radii = false;
};

struct MinimumDistanceBatch {
  using Result = struct MinimumDistanceResult;

  Configurations configurations = {};
  BatchOptions options = {};
  std::vector<double> max_distances = {};  // metres, 1 a row
  double tolerance = 0;                    // metres
  bool exact = false;
  MinimumDistanceDetail detail = {};
};

struct MinimumDistanceResult {
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
  using Result = struct NearestResult;

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

// Asks which bodies of the scene touch shapes of slots, one a row.
struct OverlapBatch {
  using Result = struct OverlapResult;

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

// Asks when the query bodies first touch, each on its own screw. The links of an arm whose joints
// move take another path: use ProveJointMotions (joint_motion.h) for them.
struct SweepBatch {
  using Result = struct SweepResult;

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
  using Result = struct SweepResult;

  std::uint32_t count = 0;
  std::uint32_t scene_slot = 0;
  BatchOptions options = {};
  std::vector<double> origins = {};        // metres
  std::vector<double> displacements = {};  // the whole path, metres
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

// The answer of a SweepBatch or a RayBatch.
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

// Returns whether it is proved that nothing touches in this row. It is never true for a row that is
// undecided, refused or missing.
bool ProvedFree(const CheckResult& result, std::size_t row);
bool ProvedFree(const OverlapResult& result, std::size_t row);
// Returns whether all pairs are proved farther apart than `margin` metres.
bool ProvedFree(const MinimumDistanceResult& result, std::size_t row, double margin = 0);
// Returns whether nothing is hit during the whole motion. With ignore_initial_contact that holds
// from t_leave on; before it the bodies may touch.
bool ProvedFree(const SweepResult& result, std::size_t row);

// Returns how far, metres, every point of every query body may move while the row stays free. It is
// 0 for a row that is not free, and if free radii were not asked for.
double FreeMotionRadius(const CheckResult& result, std::size_t row);
double FreeMotionRadius(const MinimumDistanceResult& result, std::size_t row);

// Returns whether the row is still free after these motions of the query bodies.
bool StillFree(const CheckResult& result, std::size_t row, absl::Span<const BodyMotion> motions);
bool StillFree(const MinimumDistanceResult& result, std::size_t row,
               absl::Span<const BodyMotion> motions);

// Proves the lower bound of pair i of a list, without code of the server; empty means proved.
//
// It uses the supports of both shapes along the normal, in 113-bit arithmetic, as VerifyDistance
// does (proof.h). `a` is the query body. Ask for bounds and normals. If distances are present, they
// must lie within the bounds, and the points must be that far apart along the normal. It does not
// check that the points belong to the shapes; VerifyDistance does. Only SEPARATED pairs are proved;
// a pair with a compound is kNoProof.
std::vector<Violation> VerifySeparation(const PosedShape& a, const PosedShape& b,
                                        const NearestPairs& pairs, std::size_t i);

// The subject of a unary question: shapes by slot, a scene in its slot (unset: query bodies alone,
// or none), and the query bodies with `same_as_scene` (see ChangeBodies).
struct SceneSetting {
  ShapeTable shapes = {};
  std::optional<OpenScene> scene = {};
  SceneChange bodies = {};
  std::vector<std::uint32_t> same_as_scene = {};
};

// Asks about scenes, one message a question. As thread-safe as its client.
//
// A batch above the server's limits is refused; a Session splits it. Overlaps have no query bodies,
// and rays no shapes.
class SceneQueryClient {
 public:
  explicit SceneQueryClient(Client client) : client_(std::move(client)) {}

  absl::StatusOr<CheckResult> Check(const SceneSetting& setting, const CheckBatch& batch) const;
  absl::StatusOr<MinimumDistanceResult> MinimumDistance(const SceneSetting& setting,
                                                        const MinimumDistanceBatch& batch) const;
  absl::StatusOr<NearestResult> Nearest(const SceneSetting& setting,
                                        const NearestBatch& batch) const;
  absl::StatusOr<OverlapResult> Overlap(const SceneSetting& setting,
                                        const OverlapBatch& batch) const;
  absl::StatusOr<SweepResult> Sweep(const SceneSetting& setting, const SweepBatch& batch) const;
  absl::StatusOr<SweepResult> Ray(const SceneSetting& setting, const RayBatch& batch) const;

 private:
  Client client_;
};

}  // namespace clearance::client
