// SPDX-License-Identifier: Apache-2.0
//
// Counts of one batch, or of one chunk of it. The thread that computes the rows counts in plain
// integers, which are handed to Metrics::Record once: a metric's lock is then paid for once a
// batch, not once a row.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/query/distance.h"
#include "core/query/intersection.h"
#include "core/query/time_of_collision.h"

namespace clearance::server {

enum class QueryKind : std::uint8_t {
  kDistance,
  kIntersection,
  kTimeOfCollision,
  // of scenes
  kCheck,
  kMinimumDistance,
  kSweep,
  kRay,
  kNearest,
  kOverlap,
};
inline constexpr std::size_t kQueryKinds = 9;
inline constexpr std::size_t kFirstSceneKind = 3;

// Upper bounds (inclusive) of the histograms' buckets; values above the last one count in one more
// bucket. An iteration is a step of the solver or, for a time of collision, one distance
// computation. A bracket's ratio is its width over the tolerance of its row.
inline constexpr std::array<double, 15> kIterationBuckets = {1,  2,  3,  4,   6,    8,    12,   16,
                                                             24, 32, 64, 256, 1024, 4096, 16384};
inline constexpr std::array<double, 10> kBracketRatioBuckets = {0.001, 0.01, 0.1, 0.25, 0.5,
                                                                0.75,  1,    2,   10,   1000};

// Holds the counts per bucket, not cumulative, and the sum of the observed values.
template <std::size_t kBuckets>
struct BucketCounts {
  std::array<std::uint32_t, kBuckets + 1> counts{};
  double sum = 0;
};

// Holds one row of a question about a scene, and the work that it took.
struct SceneRow {
  std::uint8_t state = 0;  // the number of Verdict, State or MotionState
  UndecidedReason reason = UndecidedReason::kNone;
  std::uint64_t nodes = 0;
  std::uint64_t candidates = 0;
  std::uint64_t exact = 0;
};

// Holds the work of all rows.
struct SceneWork {
  std::uint64_t nodes = 0;
  std::uint64_t candidates = 0;
  std::uint64_t exact = 0;
};

// Counts what one batch did. Thread-compatible. Value type.
class BatchTally {
 public:
  static constexpr std::size_t kStates =
      6;  // indices are the numbers of State, MotionState and Verdict

  explicit BatchTally(QueryKind kind) : kind_(kind) {}

  // Requires: kind() is that of the answer.
  void Add(const DistanceAnswer& answer);
  void Add(const IntersectionAnswer& answer);
  void Add(const TimeOfCollisionAnswer& answer);
  void AddSceneRow(const SceneRow& row);
  // A row that was refused, or not reached within its time, has no answer of the core.
  void AddRefused() { ++refused_; }
  void AddNotReached() { CountState(UndecidedStateOf(kind_), UndecidedReason::kBudget); }

  // Adds another chunk of the same batch. Requires: the same kind.
  void Merge(const BatchTally& other);

  QueryKind kind() const { return kind_; }
  std::uint64_t rows() const;
  std::uint32_t refused() const { return refused_; }
  const std::array<std::uint32_t, kStates>& states() const { return states_; }
  // By the number of UndecidedReason.
  const std::array<std::uint32_t, kUndecidedReasons>& undecided() const { return undecided_; }
  const BucketCounts<kIterationBuckets.size()>& iterations() const { return iterations_; }
  const BucketCounts<kBracketRatioBuckets.size()>& bracket_ratios() const {
    return bracket_ratios_;
  }
  const SceneWork& scene_work() const { return scene_work_; }

 private:
  static std::uint8_t UndecidedStateOf(QueryKind kind);
  void CountState(std::uint8_t state, UndecidedReason reason);
  void CountBracket(const DistanceAnswer& answer);

  QueryKind kind_;
  std::uint32_t refused_ = 0;
  std::array<std::uint32_t, kStates> states_{};
  std::array<std::uint32_t, kUndecidedReasons> undecided_{};
  BucketCounts<kIterationBuckets.size()> iterations_;
  BucketCounts<kBracketRatioBuckets.size()> bracket_ratios_;
  SceneWork scene_work_;
};

}  // namespace clearance::server
