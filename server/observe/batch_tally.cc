// SPDX-License-Identifier: Apache-2.0
#include "server/observe/batch_tally.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace clearance::server {
namespace {

// A row whose tolerance is 0 (two coinciding points) would make a sum infinite for good.
constexpr double kLargestBracketRatio = 1'000'000;

// For most rows the bucket is looked up.
constexpr std::size_t kFewIterations = 64;
constexpr std::array<std::uint8_t, kFewIterations + 1> kBucketOfFew = [] {
  std::array<std::uint8_t, kFewIterations + 1> buckets{};
  for (std::size_t n = 0; n <= kFewIterations; ++n) {
    while (kIterationBuckets[buckets[n]] < static_cast<double>(n)) ++buckets[n];
  }
  return buckets;
}();

template <std::size_t kBuckets>
void Observe(const std::array<double, kBuckets>& bounds, double value,
             BucketCounts<kBuckets>* counts) {
  std::size_t bucket = 0;
  // Without branches: the bucket that comes next cannot be predicted.
  for (const double bound : bounds) bucket += bound < value ? 1U : 0U;
  ++counts->counts[bucket];
  counts->sum += value;
}

void ObserveIterations(std::uint32_t iterations, BucketCounts<kIterationBuckets.size()>* counts) {
  if (iterations > kFewIterations) return Observe(kIterationBuckets, iterations, counts);
  ++counts->counts[kBucketOfFew[iterations]];
  counts->sum += iterations;
}

template <std::size_t kBuckets>
void AddCounts(const BucketCounts<kBuckets>& from, BucketCounts<kBuckets>* to) {
  for (std::size_t i = 0; i <= kBuckets; ++i) to->counts[i] += from.counts[i];
  to->sum += from.sum;
}

}  // namespace

void BatchTally::Add(const DistanceAnswer& answer) {
  CountState(static_cast<std::uint8_t>(answer.state), answer.reason);
  ObserveIterations(answer.iterations, &iterations_);
  CountBracket(answer);
}

void BatchTally::Add(const IntersectionAnswer& answer) {
  CountState(static_cast<std::uint8_t>(answer.state), answer.reason);
  ObserveIterations(answer.iterations, &iterations_);
}

void BatchTally::Add(const TimeOfCollisionAnswer& answer) {
  CountState(static_cast<std::uint8_t>(answer.state), answer.reason);
  ObserveIterations(answer.iterations, &iterations_);
}

void BatchTally::AddSceneRow(const SceneRow& row) {
  CountState(row.state, row.reason);
  scene_work_.nodes += row.nodes;
  scene_work_.candidates += row.candidates;
  scene_work_.exact += row.exact;
}

void BatchTally::Merge(const BatchTally& other) {
  refused_ += other.refused_;
  for (std::size_t i = 0; i < states_.size(); ++i) states_[i] += other.states_[i];
  for (std::size_t i = 0; i < undecided_.size(); ++i) undecided_[i] += other.undecided_[i];
  AddCounts(other.iterations_, &iterations_);
  AddCounts(other.bracket_ratios_, &bracket_ratios_);
  scene_work_.nodes += other.scene_work_.nodes;
  scene_work_.candidates += other.scene_work_.candidates;
  scene_work_.exact += other.scene_work_.exact;
}

std::uint64_t BatchTally::rows() const {
  std::uint64_t rows = refused_;
  for (const std::uint32_t count : states_) rows += count;
  return rows;
}

std::uint8_t BatchTally::UndecidedStateOf(QueryKind kind) {
  constexpr std::uint8_t kVerdictUndecided = 3;
  switch (kind) {
    case QueryKind::kCheck:
    case QueryKind::kOverlap:
      return kVerdictUndecided;
    case QueryKind::kTimeOfCollision:
    case QueryKind::kSweep:
    case QueryKind::kRay:
      return static_cast<std::uint8_t>(MotionState::kUndecided);
    case QueryKind::kDistance:
    case QueryKind::kIntersection:
    case QueryKind::kMinimumDistance:
    case QueryKind::kNearest:
      break;
  }
  return static_cast<std::uint8_t>(State::kUndecided);
}

void BatchTally::CountState(std::uint8_t state, UndecidedReason reason) {
  ++states_[state];
  if (state == UndecidedStateOf(kind_)) ++undecided_[static_cast<std::size_t>(reason)];
}

// Counts the bracket of a row, unless the row stopped early on purpose (beyond max_distance,
// overlap seen): then the width says nothing about the solver.
void BatchTally::CountBracket(const DistanceAnswer& answer) {
  const bool converged = answer.state == State::kSeparated || answer.state == State::kTouching;
  if (!converged && answer.state != State::kUndecided) return;
  const double width = answer.bracket.upper - answer.bracket.lower;
  const double ratio = width > 0 ? width / answer.tolerance : 0;
  if (ratio <= kBracketRatioBuckets[0]) {  // nearly all rows of polytopes
    ++bracket_ratios_.counts[0];
    bracket_ratios_.sum += ratio;
    return;
  }
  Observe(kBracketRatioBuckets, std::min(ratio, kLargestBracketRatio), &bracket_ratios_);
}

}  // namespace clearance::server
