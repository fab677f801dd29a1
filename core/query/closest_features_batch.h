// SPDX-License-Identifier: Apache-2.0
//
// Answers of many pairs from their closest features alone (closest_features.h), side by side in
// vector instructions: the results of FinishFromFeatures and all that follows it, bit for bit, on
// any vector unit.

#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "core/narrow/closest_features.h"
#include "core/narrow/core_distance.h"
#include "core/query/distance.h"
#include "core/query/pair_solver.h"

namespace clearance {

// One pair and a guess of its features. Borrows everything.
struct FeatureTask {
  const PosedPair* posed = nullptr;
  const CoreLimits* limits = nullptr;
  double max_distance = 0;
  VertexPairs guess;
  std::uint32_t iterations = 0;  // that the guess took, for the answer
  DistanceAnswer* answer = nullptr;
};

// True for polytopes without radius and limits without a tolerance.
bool IsForFeatureAnswers(const ShapePair& pair, const CoreLimits& limits);

enum class FeatureOutcome : std::uint8_t {
  // *tasks[i].answer is set: the bodies are proved apart, not farther than max_distance, and these
  // are their only closest features.
  kAnswered,
  kRefused,   // the proof failed; that of FinishFromFeatures seldom goes farther
  kNotTried,  // features of other sizes than the lanes have
};

// Sets outcomes[i]. Leaves *tasks[i].answer as it is unless that is kAnswered. Requires: equal
// lengths of at most kDistancesAtOnce, IsForFeatureAnswers of every task.
void AnswerFromFeatures(absl::Span<const FeatureTask> tasks, absl::Span<FeatureOutcome> outcomes);

}  // namespace clearance
