// SPDX-License-Identifier: Apache-2.0
//
// The first contradiction among several claims.

#pragma once

#include "core/proof/check_distance.h"
#include "core/proof/quad.h"

namespace clearance {

class Findings {
 public:
  bool is_clean() const { return !check_.contradiction.has_value(); }
  Check& check() { return check_; }

  // Every claim is written so that NaN fails it.
  bool Require(bool holds, Claim claim, Quad claimed, Quad proved) {
    if (!holds && is_clean()) {
      check_.contradiction = {claim, static_cast<double>(claimed), static_cast<double>(proved)};
    }
    return holds;
  }

 private:
  Check check_;
};

}  // namespace clearance
