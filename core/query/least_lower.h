// SPDX-License-Identifier: Apache-2.0
//
// The lower end of the bracket of a whole, from those of its pairs: the same rule for the pieces of
// two compounds and for the bodies of a scene.

#pragma once

#include <cmath>
#include <limits>

#include "core/query/distance.h"

namespace clearance {

class LeastLower {
 public:
  void Add(const DistanceAnswer& answer) {
    if (answer.bracket.lower > bound_) return;
    const bool is_equal = answer.bracket.lower == bound_;
    tolerance_ = is_equal ? std::fmax(tolerance_, answer.tolerance) : answer.tolerance;
    bound_ = answer.bracket.lower;
  }

  // Infinite before any was added.
  double bound() const { return bound_; }

  // Gives the answer of the nearest pair the whole's lower bound, and the tolerance that both hold
  // with.
  void PutInto(DistanceAnswer* answer) const {
    answer->bracket.lower = bound_;
    answer->tolerance = std::fmax(answer->tolerance, tolerance_);
  }

 private:
  double bound_ = std::numeric_limits<double>::infinity();
  double tolerance_ = 0;  // of the pair that the bound is of
};

}  // namespace clearance
