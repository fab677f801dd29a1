// SPDX-License-Identifier: Apache-2.0
//
// Counts of one batch, or of one chunk of it. The thread that computes the rows counts in plain
// integers, which are handed to Metrics::Record once: a metric's lock is then paid for once a
// batch, not once a row.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "core/query/distance.h"
#include "core/query/intersection.h"
#include "core/query/time_of_collision.h"

namespace clearance::server {

enum class QueryKind : std::uint8_t {
#define QUERY(name, field, service, label, states) k##name,
#include "proto/methods.def"
};
inline constexpr std::size_t kQueryKinds =
    std::initializer_list<QueryKind>{
#define QUERY(name, field, service, label, states) QueryKind::k##name,
#include "proto/methods.def"
    }
        .size();

// The numbers of State, MotionState and Verdict are less than this.
inline constexpr std::size_t kRowStates = 6;

// Describes a kind as its series do.
struct QueryKindInfo {
  const char* label;
  std::array<const char*, kRowStates> states;  // by number; null: the kind has no such state
  bool is_about_scenes;
  std::uint8_t undecided_state;
};
const QueryKindInfo& InfoOf(QueryKind kind);

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

// Holds the work of questions about scenes.
struct SceneWork {
  std::uint64_t nodes = 0;
  std::uint64_t candidates = 0;
  std::uint64_t exact = 0;

  SceneWork& operator+=(const SceneWork& other) {
    nodes += other.nodes;
    candidates += other.candidates;
    exact += other.exact;
    return *this;
  }
};

// Counts what one batch did. Thread-compatible. Value type.
class BatchTally {
 public:
  explicit BatchTally(QueryKind kind)
      : kind_(kind), undecided_state_(InfoOf(kind).undecided_state) {}

  // Counts an answer about a pair. Requires: kind() is that of the answer.
  template <class Answer>
  void Add(const Answer& answer);
  // `state` is the number of a Verdict, State or MotionState.
  void AddSceneRow(std::uint8_t state, UndecidedReason reason, const SceneWork& work);
  // A row that was refused, or not reached within its time, has no answer of the core.
  void AddRefused() { ++refused_; }
  void AddNotReached() { CountState(undecided_state_, UndecidedReason::kBudget); }

  // Adds another chunk of the same batch. Requires: the same kind.
  void Merge(const BatchTally& other);

  QueryKind kind() const { return kind_; }
  // The numbers of UNDECIDED and of REFUSED, which follows it in State, MotionState and Verdict.
  int undecided_state() const { return undecided_state_; }
  int refused_state() const { return undecided_state_ + 1; }
  std::uint64_t rows() const;
  std::uint32_t refused() const { return refused_; }
  const std::array<std::uint32_t, kRowStates>& states() const { return states_; }
  // By the number of UndecidedReason.
  const std::array<std::uint32_t, kUndecidedReasons>& undecided() const { return undecided_; }
  const BucketCounts<kIterationBuckets.size()>& iterations() const { return iterations_; }
  const BucketCounts<kBracketRatioBuckets.size()>& bracket_ratios() const {
    return bracket_ratios_;
  }
  const SceneWork& scene_work() const { return scene_work_; }

 private:
  void CountState(std::uint8_t state, UndecidedReason reason);
  void CountIterations(std::uint32_t iterations);
  void CountBracket(const DistanceAnswer& answer);

  QueryKind kind_;
  std::uint8_t undecided_state_;
  std::uint32_t refused_ = 0;
  std::array<std::uint32_t, kRowStates> states_{};
  std::array<std::uint32_t, kUndecidedReasons> undecided_{};
  BucketCounts<kIterationBuckets.size()> iterations_;
  BucketCounts<kBracketRatioBuckets.size()> bracket_ratios_;
  SceneWork scene_work_;
};

}  // namespace clearance::server
