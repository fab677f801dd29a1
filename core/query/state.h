// SPDX-License-Identifier: Apache-2.0
//
// The states of a pair, and the reasons why a pair has none.

#pragma once

#include <cstddef>
#include <cstdint>

namespace clearance {

// The proved state of a pair. The numbers are those of the same names in
// proto/clearance/v1/query.proto.
enum class State : std::uint8_t {
  kSeparated = 1,    // lower > 0
  kTouching = 2,     // lower <= 0 <= upper, both within the tolerance of 0
  kPenetrating = 3,  // upper < 0
  kBeyond = 4,       // lower = max_distance, which the pair is farther apart than
  kUndecided = 5,    // none of these could be proved
};

enum class UndecidedReason : std::uint8_t {
  kNone = 0,
  kBudget = 1,
  kIterations = 2,
  kPrecision = 3,
  kWork = 4  // the row would have taken more steps than a row may
};

inline constexpr std::size_t kUndecidedReasons = 5;

// Whether nothing was found out because a WorkBudget had ended.
inline bool IsOfBudget(UndecidedReason reason) {
  return reason == UndecidedReason::kBudget || reason == UndecidedReason::kWork;
}

}  // namespace clearance
