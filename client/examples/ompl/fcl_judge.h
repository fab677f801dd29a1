// SPDX-License-Identifier: Apache-2.0
//
// The usual judge of planners: FCL in their own process, asked for one state after another.

#pragma once

#include <cstddef>

#include "client/examples/ompl/fcl_cell.h"
#include "client/examples/ompl/judge.h"

namespace clearance::plan {

// A path is free if its states at the resolution are. They are asked by halves, the end first,
// until one is not free.
class FclJudge final : public Judge {
 public:
  explicit FclJudge(FclCell* cell) : cell_(cell) {}

  bool IsFree(const JointVector& joints) override {
    ++counts_.checks;
    ++counts_.calls;
    return !cell_->Touches(joints);
  }

 protected:
  bool DoIsFreeBetween(const JointVector& from, const JointVector& to) override {
    const std::size_t count = StateCount(from, to);
    std::size_t coarsest = 1;
    while (coarsest < count) coarsest *= 2;
    if (!IsFree(to)) return false;
    // Each step between those that are multiples of the one before.
    for (std::size_t step = coarsest / 2; step > 0; step /= 2) {
      for (std::size_t i = step; i < count; i += 2 * step) {
        if (!IsFree(Between(from, to, static_cast<double>(i) / static_cast<double>(count))))
          return false;
      }
    }
    return true;
  }

 private:
  FclCell* cell_;
};

}  // namespace clearance::plan
