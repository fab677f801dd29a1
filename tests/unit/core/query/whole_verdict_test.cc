// SPDX-License-Identifier: Apache-2.0
//
// Which state of a pair decides that of the whole, in every order.

#include "core/query/whole_verdict.h"

#include <gtest/gtest.h>

namespace clearance {
namespace {

State Of(State first, State second) {
  WholeVerdict verdict;
  verdict.Add(first, UndecidedReason::kNone);
  verdict.Add(second, UndecidedReason::kNone);
  return verdict.state();
}

TEST(WholeVerdict, HidesNoOpenQuestionBehindAProof) {
  // Each decides over those before it.
  const State states[] = {State::kBeyond, State::kSeparated, State::kTouching, State::kUndecided,
                          State::kPenetrating};
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j <= i; ++j) {
      EXPECT_EQ(Of(states[i], states[j]), states[i]);
      EXPECT_EQ(Of(states[j], states[i]), states[i]);
    }
  }
}

TEST(WholeVerdict, KeepsTheReasonThatNamesALimit) {
  WholeVerdict verdict;
  EXPECT_EQ(verdict.state(), State::kBeyond);
  verdict.Add(State::kUndecided, UndecidedReason::kPrecision);
  EXPECT_EQ(verdict.reason(), UndecidedReason::kPrecision);
  verdict.Add(State::kSeparated, UndecidedReason::kNone);
  verdict.Add(State::kUndecided, UndecidedReason::kIterations);
  verdict.Add(State::kUndecided, UndecidedReason::kPrecision);
  EXPECT_EQ(verdict.reason(), UndecidedReason::kIterations);
  verdict.Add(State::kPenetrating, UndecidedReason::kNone);
  EXPECT_EQ(verdict.reason(), UndecidedReason::kNone);
}

}  // namespace
}  // namespace clearance
