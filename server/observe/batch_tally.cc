// SPDX-License-Identifier: Apache-2.0
#include "server/observe/batch_tally.h"

#include <algorithm>
#include <type_traits>

#include "absl/strings/string_view.h"

namespace clearance::server {
namespace {

using StateNames = std::array<const char*, kRowStates>;
constexpr StateNames kDistanceStates = {nullptr,       "separated", "touching",
                                        "penetrating", "beyond",    "undecided"};
constexpr StateNames kIntersectionStates = {nullptr,       "separated", "touching",
                                            "penetrating", nullptr,     "undecided"};
constexpr StateNames kMotionStates = {nullptr,     "free", "hit", "initially_overlapping",
                                      "undecided", nullptr};
constexpr StateNames kVerdicts = {nullptr, "free", "touching", "undecided", nullptr, nullptr};

constexpr bool IsAboutScenes(absl::string_view service) { return service == "SceneQueryService"; }
constexpr std::uint8_t UndecidedIn(const StateNames& names) {
  std::uint8_t state = 1;
  while (names[state] != absl::string_view("undecided")) ++state;
  return state;
}
constexpr QueryKindInfo kKindInfos[] = {
#define QUERY(name, field, service, label, states) \
  {#label, states, IsAboutScenes(#service), UndecidedIn(states)},
#include "proto/methods.def"
};

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

template <std::size_t kBuckets>
void AddCounts(const BucketCounts<kBuckets>& from, BucketCounts<kBuckets>* to) {
  for (std::size_t i = 0; i <= kBuckets; ++i) to->counts[i] += from.counts[i];
  to->sum += from.sum;
}

}  // namespace

const QueryKindInfo& InfoOf(QueryKind kind) { return kKindInfos[static_cast<std::size_t>(kind)]; }

template <class Answer>
void BatchTally::Add(const Answer& answer) {
  CountState(static_cast<std::uint8_t>(answer.state), answer.reason);
  CountIterations(answer.iterations);
  if constexpr (std::is_same_v<Answer, DistanceAnswer>) CountBracket(answer);
}
template void BatchTally::Add(const DistanceAnswer&);
template void BatchTally::Add(const IntersectionAnswer&);
template void BatchTally::Add(const TimeOfCollisionAnswer&);

void BatchTally::AddSceneRow(std::uint8_t state, UndecidedReason reason, const SceneWork& work) {
  CountState(state, reason);
  scene_work_ += work;
}

void BatchTally::Merge(const BatchTally& other) {
  refused_ += other.refused_;
  for (std::size_t i = 0; i < states_.size(); ++i) states_[i] += other.states_[i];
  for (std::size_t i = 0; i < undecided_.size(); ++i) undecided_[i] += other.undecided_[i];
  AddCounts(other.iterations_, &iterations_);
  AddCounts(other.bracket_ratios_, &bracket_ratios_);
  scene_work_ += other.scene_work_;
}

std::uint64_t BatchTally::rows() const {
  std::uint64_t rows = refused_;
  for (const std::uint32_t count : states_) rows += count;
  return rows;
}

void BatchTally::CountState(std::uint8_t state, UndecidedReason reason) {
  ++states_[state];
  if (state == undecided_state_) ++undecided_[static_cast<std::size_t>(reason)];
}

void BatchTally::CountIterations(std::uint32_t iterations) {
  if (iterations > kFewIterations) return Observe(kIterationBuckets, iterations, &iterations_);
  ++iterations_.counts[kBucketOfFew[iterations]];
  iterations_.sum += iterations;
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
