// SPDX-License-Identifier: Apache-2.0
//
// One question about a whole scene. A query brings bodies (the links of an arm, players, one
// shape), which are asked against every body of the scene and against each other, as far as groups,
// masks and rules enable the pairs. Every answer is the one that asking all enabled pairs one by
// one would give, with the same proofs: the pairs that bounding boxes leave out are proved to
// change nothing. It depends neither on the order of the scene's bodies nor on its history, and is
// the same to the last bit on every machine (except for the counters).
//
// Pairs are ordered by ids: first by the query body, then by the other. In a pair of two query
// bodies the one with the lesser id comes first. The ids of query bodies differ from each other.
//
// None of this fails or throws; it allocates only if a scratch is used for more bodies than ever
// before. Questions may be asked from any thread, each thread with its own scratch.
//
// If everything overlaps, a question takes as many queries as there are pairs; a budget limits
// that. Once the budget has ended, the answer is undecided for the budget's reason and tells
// nothing else. A list may be incomplete then, which only the budget tells.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "core/query/distance.h"
#include "core/query/time_of_collision.h"
#include "core/query/work_budget.h"
#include "core/scene/pair_rules.h"
#include "core/scene/scene.h"

namespace clearance {

// Memory that questions work in, bounded by the number of the query bodies. It serves one
// question at a time; its contents between questions mean nothing.
class SceneScratch {
 public:
  SceneScratch();
  ~SceneScratch();
  SceneScratch(SceneScratch&&) noexcept;
  SceneScratch& operator=(SceneScratch&&) noexcept;

  struct Parts;
  Parts& parts() { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
};

class OwnPairs;

// The query bodies and the scene that they are asked against. Keeps references.
struct SceneQuery {
  const Scene& scene;
  // Requires: FindBodyFault finds nothing, ids differ.
  absl::Span<const SceneBody> bodies;
  // The bodies' poses, one each; empty: their X_WB. Requires: the same as for X_WB.
  absl::Span<const Pose> poses = {};
  // The query's own rules come before those of the scene. May be null.
  const PairRules* rules = nullptr;
  // Whether the query bodies are asked against each other as well, against the scene only, or
  // against each other only.
  enum class PairScope : std::uint8_t { kSceneAndSelf, kScene, kSelf };
  PairScope pair_scope = PairScope::kSceneAndSelf;
  // True if the ids of the query bodies mean nothing: no rule applies to their pairs, and none is
  // the same body as one of the scene.
  bool is_nameless = false;
  // The work that the question may cost; null: without limit.
  WorkBudget* budget = nullptr;
  // The pairs found for these bodies and rules, this scene's rules and `pair_scope`; null: found by
  // the question.
  const OwnPairs* own_pairs = nullptr;
};

// Returns the first body of the query that has the id of a body of the scene but no rule of that id
// with itself, of the query or of the scene. The two make no pair, and the caller must know it.
// Requires: `bodies` as SceneQuery has them; `rules` may be null.
std::optional<BodyId> FindUnsaidNamesake(const Scene& scene, absl::Span<const SceneBody> bodies,
                                         const PairRules* rules);

// The pairs of query bodies that are asked against each other, for many questions about the same
// bodies. Thread-compatible.
struct OwnPair {
  BodyId a = 0;  // < b
  BodyId b = 0;
  std::uint32_t i = 0;  // index of a among the bodies
  std::uint32_t j = 0;
  double margin = 0;
};
class OwnPairs {
 public:
  // Looks at every two bodies, whatever their poses.
  void Find(const SceneQuery& query);

  absl::Span<const OwnPair> pairs() const { return pairs_; }

 private:
  std::vector<OwnPair> pairs_;
};

struct IdPair {
  BodyId a = 0;  // of the query
  BodyId b = 0;  // of the scene, or of the query if is_self
  bool is_self = false;

  friend bool operator==(const IdPair&, const IdPair&) = default;
};

// Work that a question took, for metrics. Valid, not canonical.
struct SceneCounters {
  std::uint64_t nodes = 0;       // of the tree, whose boxes were looked at
  std::uint64_t candidates = 0;  // pairs that boxes did not rule out
  std::uint64_t exact = 0;       // of these, pairs that were asked with proof
};

// ---- Check: does anything touch? ----

enum class Verdict : std::uint8_t {
  kFree = 1,       // proved: farther apart than the margin
  kTouching = 2,   // within the margin, to the tolerance, or overlapping
  kUndecided = 3,  // not proved either way; never take it for free
};

struct PairVerdict {
  IdPair pair;
  Verdict verdict = Verdict::kFree;
  // The bracket of the pair's signed distance, as far as it was proved when the verdict was;
  // metres.
  Bracket bracket;
};

struct CheckAnswer {
  // kTouching if a pair is, otherwise kUndecided if one is, otherwise kFree.
  Verdict verdict = Verdict::kFree;
  // The reason of a budget that has ended, otherwise kNone.
  UndecidedReason reason = UndecidedReason::kNone;
  // The first pair (by ids) with the verdict of the whole, if that is not kFree.
  PairVerdict first;
  // Metres that every body of the query may still move (each of its points, any way) while all
  // pairs stay free, as far as boxes and the pairs asked prove it. It is the least over all pairs
  // of a bound of the distance less the margin, half of that if both bodies are the query's. 0
  // unless kFree; infinite without a pair. Only if it was asked for.
  double free_radius = 0;
  SceneCounters counters;
};

struct CheckOptions {
  // Finds out how far bodies may still move. Costs a search for the nearest boxes.
  bool wants_free_radius = false;
};

// Stops at the first pair that touches.
CheckAnswer CheckScene(const SceneQuery& query, const CheckOptions& options, SceneScratch* scratch);

// Shows every pair that is not free, in order; the sink returns false to stop. Returns the same
// answer as CheckScene. To find the bodies that touch a shape, use this with one body.
using VerdictSink = absl::FunctionRef<bool(const PairVerdict&)>;
CheckAnswer CheckAll(const SceneQuery& query, VerdictSink sink, SceneScratch* scratch);

// ---- MinimumDistance: how far apart is everything? ----

struct MinimumDistanceOptions {
  double max_distance = std::numeric_limits<double>::infinity();  // >= 0: nothing farther matters
  // The same as in DistanceOptions.
  double tolerance = 0;
  bool exact = false;
};

struct MinimumDistanceAnswer {
  // False if no pair is enabled and none is within max_distance: then `distance` is kBeyond.
  bool has_pair = false;
  // The pair with the least upper bound; of equal ones the first by ids.
  IdPair pair;
  // The answer of that pair, except for state, reason, bracket.lower and tolerance, which are those
  // of the whole. The lower bound is the least of all enabled pairs. The state is kPenetrating if
  // one pair is, otherwise kUndecided if one that may be the nearest is, otherwise kTouching if one
  // is. The tolerance is the larger of those of the pairs that the bracket's ends come from.
  DistanceAnswer distance;
  // Metres that every body of the query may still move before anything touches (margins aside): the
  // least lower bound, half of it for pairs of the query bodies; at most max_distance. 0
  // unless the whole is kSeparated or kBeyond.
  double free_radius = 0;
  SceneCounters counters;
};

// Computes the smallest distance; margins do not matter here.
MinimumDistanceAnswer MinimumDistance(const SceneQuery& query,
                                      const MinimumDistanceOptions& options, SceneScratch* scratch);

struct PairDistance {
  IdPair pair;
  DistanceAnswer distance;  // as asked alone
};

struct NearestAnswer {
  std::size_t size = 0;  // pairs that were found, from the front of `nearest`
  SceneCounters counters;
};

// Finds the pairs with the least upper bounds, in this order (equal ones by ids), no farther apart
// than max_distance: as many as `nearest` has room for.
NearestAnswer Nearest(const SceneQuery& query, const MinimumDistanceOptions& options,
                      absl::Span<PairDistance> nearest, SceneScratch* scratch);

// ---- Configurations: many poses of the same bodies ----

// Many sets of poses of the same bodies.
struct Configurations {
  SceneQuery query;  // its poses are not used; its own_pairs are found if they are null
  // One pose for each body of the query, row after row.
  absl::Span<const Pose> poses;
  // One for each row, in place of the query's; empty: that one for all.
  absl::Span<WorkBudget> budgets = {};
};

// Answers row i in answers[i], as if asked alone: the same bits whatever the other rows are, unless
// a budget that they share ends. Requires: a row for each answer.
//
// Up to kChecksAtOnce rows are checked side by side if each has few pairs without margins, and free
// radii are not asked for: so their searches fill the lanes of the processor's vectors.
inline constexpr std::size_t kChecksAtOnce = 32;
void CheckConfigurations(const Configurations& configurations, const CheckOptions& options,
                         absl::Span<CheckAnswer> answers, SceneScratch* scratch);
void MinimumDistanceOfConfigurations(const Configurations& configurations,
                                     const MinimumDistanceOptions& options,
                                     absl::Span<MinimumDistanceAnswer> answers,
                                     SceneScratch* scratch);

// ---- Sweep: when does a moving body first touch? ----

// The query bodies move from their poses; the scene's bodies rest. Requires: one motion a body,
// as in MovingShape.
struct MovingSceneQuery {
  SceneQuery query;
  absl::Span<const Motion> motions;
};

struct SweepOptions {
  bool ignore_initial_contact = false;  // the same as in MotionOptions
};

struct PairSweep {
  IdPair pair;
  TimeOfCollisionAnswer contact;  // the target distance is the pair's margin
};

struct SweepAnswer {
  // The meaning by state:
  // - kInitiallyOverlapping: the first pair (by ids) that is within its margin at the start.
  // - kHit: the pair with the least t_hit (then the least t_free, then the first by ids); t_free is
  //   the least of all pairs.
  // - kUndecided: a pair that could not be decided is free for less time than all that hit; of
  //   several the one with the least t_free, then ids.
  // - kFree: none touches.
  //
  // t_free is never late: on [t_leave, t_free) every pair is proved farther apart than its margin.
  // (For a ray with RayKind::kAny: every pair asked, of which the hit is the first.) t_leave is the
  // greatest of all pairs asked, at most t_free.
  PairSweep earliest;
  SceneCounters counters;
};

SweepAnswer Sweep(const MovingSceneQuery& moving, const SweepOptions& options,
                  SceneScratch* scratch);

// Shows every pair that is not free along the whole motion, by ids; the sink returns false to stop.
using SweepSink = absl::FunctionRef<bool(const PairSweep&)>;
SceneCounters SweepAll(const MovingSceneQuery& moving, const SweepOptions& options, SweepSink sink,
                       SceneScratch* scratch);

// Computes the motions from `start` to `end`, each by the shortest path (MotionToEndPose). Returns
// the index of the first that is ambiguous, or starts.size(). Requires: equal sizes.
std::size_t MotionsToEndPoses(absl::Span<const Pose> starts, absl::Span<const Pose> ends,
                              absl::Span<Motion> motions);

// ---- Ray: what is in the way of a point? ----

struct Ray {
  Vec3d origin;                  // metres, world
  Vec3d displacement;            // the whole path, metres
  double radius = 0;             // >= 0: of a ball in place of the point
  GroupBits bits = {};           // margins do not matter here
  WorkBudget* budget = nullptr;  // the same as in SceneQuery
};

enum class RayKind : std::uint8_t {
  kClosest,  // the hit with the least t_hit, as in a sweep
  kAny,      // a hit, the same on every machine, as soon as there is one
};

// Casts the ray. pair.a is 0. In `contact` A is the ray's point, so the surface's normal is -n_AB.
SweepAnswer CastRay(const Scene& scene, const Ray& ray, RayKind kind, SceneScratch* scratch);

// Shows every body in the path, by ids.
SceneCounters CastRayAll(const Scene& scene, const Ray& ray, SweepSink sink, SceneScratch* scratch);

}  // namespace clearance
