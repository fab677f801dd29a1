// SPDX-License-Identifier: Apache-2.0
//
// Right answers, each made wrong in one way. The oracle of these tests is the way itself: the
// checker must name the claim that was tampered with, and must have nothing to say before.

#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/proof/check_distance.h"

namespace clearance {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class Answer>
struct Tampering {
  const char* name;
  Claim claim;  // that it makes false
  std::function<void(Answer&)> apply;
};

// The name of the claim that was contradicted, or "nothing".
inline std::string Contradicted(const Check& check) {
  return check.contradiction ? Name(check.contradiction->claim) : "nothing";
}

// `check(answer)` judges an answer.
template <class Answer, class Judge>
void ExpectEachContradicted(const Answer& right, const std::vector<Tampering<Answer>>& tamperings,
                            Judge check) {
  ASSERT_EQ(Contradicted(check(right)), "nothing");
  for (const Tampering<Answer>& tampering : tamperings) {
    Answer wrong = right;
    tampering.apply(wrong);
    EXPECT_EQ(Contradicted(check(wrong)), Name(tampering.claim)) << tampering.name;
  }
}

}  // namespace clearance
