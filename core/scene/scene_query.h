// SPDX-License-Identifier: Apache-2.0
//
// One question of a whole scene. Whoever asks brings bodies of their own (the links of an arm,
// players, one shape), which are asked against every body of the scene and against each other, as
// far as groups, masks and rules enable the pairs. Every answer is the one that asking all enabled
// pairs one by one would give, with the same proofs: what bounding boxes leave out is proved to
// change nothing. It depends neither on the order of the scene's bodies nor on its history, and is
// the same to the last bit on every machine (but for the counters).
//
// Pairs are ordered by ids: first by the asker's body, then by the other; of two of the asker's own
// bodies the one with the lesser id comes first. The asker's ids differ from each other.
//
// None of this fails or throws; it allocates only where a scratch is used for more bodies than ever
// before. Any thread, with a scratch of its own.
//
// Where everything overlaps a question takes as many queries as there are pairs: whoever cannot
// wait for that gives a budget. Once it has ended the answer is undecided for its reason and tells
// nothing else; a list may be short then, of which only the budget tells.

#ifndef CLEARANCE_CORE_SCENE_SCENE_QUERY_H_
#define CLEARANCE_CORE_SCENE_SCENE_QUERY_H_

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

// Memory that questions work in, bounded by the number of the asker's bodies. One question at a
// time; what it holds between them means nothing.
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

// The asker and the asked. Keeps references.
struct Asker {
  const Scene& scene;
  // The asker's own. Requires: FindBodyFault finds nothing, ids differ.
  absl::Span<const SceneBody> bodies;
  // Where the bodies stand, one pose each; empty: at their X_WB. Requires: as X_WB.
  absl::Span<const Pose> poses = {};
  // The asker's own rules come before those of the scene. May be null.
  const PairRules* rules = nullptr;
  // Whether the asker's bodies are asked against each other as well, against the scene only, or
  // against each other only.
  enum class Among : std::uint8_t { kSceneAndSelf, kScene, kSelf };
  Among among = Among::kSceneAndSelf;
  // The ids of the asker's bodies name nobody: no rule says anything of their pairs, and none is
  // the same body as one of the scene.
  bool is_nameless = false;
  // The work that the question may cost; null: as much as it takes.
  WorkBudget* budget = nullptr;
  // Found for these bodies and rules, this scene's rules and `among`; null: found on the way.
  const OwnPairs* own_pairs = nullptr;
};

// Returns the first body of the asker that has the id of a body of the scene without a rule of the
// id with itself, neither the asker's nor the scene's. The two make no pair: the asker must know.
// Requires: `bodies` as an Asker's; `rules` may be null.
std::optional<BodyId> FindUnsaidNamesake(const Scene& scene, absl::Span<const SceneBody> bodies,
                                         const PairRules* rules);

// Which of the asker's own bodies are asked against each other, for many questions about the same
// ones. Thread-compatible.
struct OwnPair {
  BodyId a = 0;  // < b
  BodyId b = 0;
  std::uint32_t i = 0;  // a's place among the bodies
  std::uint32_t j = 0;
  double margin = 0;
};
class OwnPairs {
 public:
  // Looks at every two bodies; wherever they stand.
  void Find(const Asker& asker);

  absl::Span<const OwnPair> pairs() const { return pairs_; }

 private:
  std::vector<OwnPair> pairs_;
};

struct IdPair {
  BodyId a = 0;  // of the asker
  BodyId b = 0;  // of the scene, or of the asker where is_self
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
  // Of the pair's signed distance, as far as it was proved when the verdict was; metres.
  Bracket bracket;
};

struct CheckAnswer {
  // kTouching if a pair is, otherwise kUndecided if one is, otherwise kFree.
  Verdict verdict = Verdict::kFree;
  // That of a budget that has ended, otherwise kNone.
  UndecidedReason reason = UndecidedReason::kNone;
  // The first pair (by ids) with the verdict of the whole, if that is not kFree.
  PairVerdict first;
  // Metres that every body of the asker may still move (each of its points, any way) while all
  // pairs stay free, as far as boxes and the pairs asked prove it: of every pair a bound of its
  // distance less its margin, half of that where both are the asker's. 0 unless kFree; infinite
  // without a pair. Only if it was asked for.
  double free_radius = 0;
  SceneCounters counters;
};

struct CheckOptions {
  // Finds out how far bodies may still move. Costs a search for the nearest boxes.
  bool wants_free_radius = false;
};

// Stops at the first pair that touches.
CheckAnswer CheckScene(const Asker& asker, const CheckOptions& options, SceneScratch* scratch);

// Shows every pair that is not free, in order; the sink returns false to stop. The same answer as
// that of CheckScene. To ask what touches a shape is this, with one body.
using VerdictSink = absl::FunctionRef<bool(const PairVerdict&)>;
CheckAnswer CheckAll(const Asker& asker, VerdictSink sink, SceneScratch* scratch);

// ---- Clearance: how far apart is everything? ----

struct ClearanceOptions {
  double max_distance = std::numeric_limits<double>::infinity();  // >= 0: nothing farther matters
  // As DistanceOptions has them.
  double tolerance = 0;
  bool exact = false;
};

struct ClearanceAnswer {
  // False if no pair is enabled and none is within max_distance: then `distance` is kBeyond.
  bool has_pair = false;
  // The pair with the least upper bound; of equal ones the first by ids.
  IdPair pair;
  // Of that pair, but for state, reason, bracket.lower and tolerance, which are those of the whole:
  // lower is the least of all enabled pairs; the state kPenetrating if one pair is, otherwise
  // kUndecided if one that may be the nearest is, otherwise kTouching if one is. Its tolerance is
  // the larger of those of the pairs that the bracket's ends come from.
  DistanceAnswer distance;
  // Metres that every body of the asker may still move while nothing comes to touch (margins
  // aside): the least lower bound, half of it for pairs of the asker's own bodies; at most
  // max_distance. 0 unless the whole is kSeparated or kBeyond.
  double free_radius = 0;
  SceneCounters counters;
};

// Margins do not matter here.
ClearanceAnswer Clearance(const Asker& asker, const ClearanceOptions& options,
                          SceneScratch* scratch);

struct PairDistance {
  IdPair pair;
  DistanceAnswer distance;  // as asked alone
};

struct NearestAnswer {
  std::size_t size = 0;  // pairs that were found, from the front of `nearest`
  SceneCounters counters;
};

// The pairs with the least upper bounds, in this order (of equal ones by ids), no farther apart
// than max_distance: as many as there is room for in `nearest`.
NearestAnswer Nearest(const Asker& asker, const ClearanceOptions& options,
                      absl::Span<PairDistance> nearest, SceneScratch* scratch);

// ---- Configurations: many poses of the same bodies ----

// Many places of the same bodies.
struct Configurations {
  Asker asker;  // its poses are not used; its own_pairs are found where they are null
  // One pose each body of the asker, row after row.
  absl::Span<const Pose> poses;
  // One each row, in place of the asker's; empty: that one for all.
  absl::Span<WorkBudget> budgets = {};
};

// Row i is asked for answers[i], as alone: the same bits whatever the other rows are, unless a
// budget that they share ends. Requires: a row for each answer.
//
// Checks of so many rows go side by side where each is one of few pairs without margins, and free
// radii are not asked for: so their searches fill the lanes of the processor's vectors.
inline constexpr std::size_t kChecksAtOnce = 32;
void CheckConfigurations(const Configurations& configurations, const CheckOptions& options,
                         absl::Span<CheckAnswer> answers, SceneScratch* scratch);
void ClearanceOfConfigurations(const Configurations& configurations,
                               const ClearanceOptions& options, absl::Span<ClearanceAnswer> answers,
                               SceneScratch* scratch);

// ---- Sweep: when does a moving body first touch? ----

// The asker's bodies move from where they stand, the scene's rest. Requires: one motion a body, as
// MovingShape has it.
struct MovingAsker {
  Asker asker;
  absl::Span<const Motion> motions;
};

struct SweepOptions {
  bool ignore_initial_contact = false;  // as MotionOptions has it
};

struct PairSweep {
  IdPair pair;
  TimeOfCollisionAnswer contact;  // the target distance is the pair's margin
};

struct SweepAnswer {
  // kInitiallyOverlapping: the first pair (by ids) that is within its margin at the start.
  // kHit: the pair with the least t_hit (then the least t_free, then the first by ids); t_free is
  // the least of all pairs. kUndecided: a pair that could not be decided is free for less time than
  // all that hit; of several the one with the least t_free, then ids. kFree: none touches.
  // t_free is never late: on [t_leave, t_free) every pair is proved farther apart than its margin.
  // (A ray that any hit will do for: every pair asked, of which the hit is the first.)
  // t_leave is the greatest of all pairs asked, at most t_free.
  PairSweep earliest;
  SceneCounters counters;
};

SweepAnswer Sweep(const MovingAsker& moving, const SweepOptions& options, SceneScratch* scratch);

// Shows every pair that is not free along the whole motion, by ids; false stops.
using SweepSink = absl::FunctionRef<bool(const PairSweep&)>;
SceneCounters SweepAll(const MovingAsker& moving, const SweepOptions& options, SweepSink sink,
                       SceneScratch* scratch);

// The motions from `start` to `end`, each the shortest way (MotionToEndPose). Returns the index of
// the first that is ambiguous, or starts.size(). Requires: equal sizes.
std::size_t MotionsToEndPoses(absl::Span<const Pose> starts, absl::Span<const Pose> ends,
                              absl::Span<Motion> motions);

// ---- Ray: what is in the way of a point? ----

struct Ray {
  Vec3d origin;                  // metres, world
  Vec3d displacement;            // the whole way, metres
  double radius = 0;             // >= 0: of a ball in place of the point
  GroupBits bits = {};           // margins do not matter here
  WorkBudget* budget = nullptr;  // as Asker has it
};

enum class RayKind : std::uint8_t {
  kClosest,  // the hit with the least t_hit, as a sweep has it
  kAny,      // a hit, the same on every machine, as soon as there is one
};

// pair.a is 0. Of contact: A is the ray's point, so the surface's normal is -n_AB.
SweepAnswer CastRay(const Scene& scene, const Ray& ray, RayKind kind, SceneScratch* scratch);

// Every body in the way, by ids.
SceneCounters CastRayAll(const Scene& scene, const Ray& ray, SweepSink sink, SceneScratch* scratch);

}  // namespace clearance

#endif  // CLEARANCE_CORE_SCENE_SCENE_QUERY_H_
