// SPDX-License-Identifier: Apache-2.0
//
// The state of two compounds from those of their pairs of pieces, the same rule for all queries.

#pragma once

#include "core/query/distance.h"

namespace clearance {

// One overlap is an overlap of the whole; otherwise one open question leaves the whole open;
// otherwise one contact is a contact. kBeyond only if every pair is (or there is none).
class WholeVerdict {
 public:
  void Add(State state, UndecidedReason reason) {
    if (Weight(state) < Weight(state_)) return;
    // Among several reasons the one that names a limit is kept.
    if (state != state_ || reason == UndecidedReason::kIterations) reason_ = reason;
    state_ = state;
  }

  State state() const { return state_; }
  UndecidedReason reason() const { return reason_; }

 private:
  static constexpr int Weight(State state) {
    switch (state) {
      case State::kPenetrating:
        return 4;
      case State::kUndecided:
        return 3;
      case State::kTouching:
        return 2;
      case State::kSeparated:
        return 1;
      case State::kBeyond:
        break;
    }
    return 0;
  }

  State state_ = State::kBeyond;
  UndecidedReason reason_ = UndecidedReason::kNone;
};

}  // namespace clearance
