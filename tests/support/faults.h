// SPDX-License-Identifier: Apache-2.0
//
// The faults of an answer, a line each; empty for a good one.

#pragma once

#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include "core/math/vec3.h"

namespace clearance::testing {

class Faults {
 public:
  void Require(bool holds, const char* what, double got = 0, double wanted = 0) {
    if (holds) return;
    char line[256];
    std::snprintf(line, sizeof(line), "%s (%a, %a: %.17g, %.17g)\n", what, got, wanted, got,
                  wanted);
    text_ += line;
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

inline bool IsFinite(const Vec3d& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

}  // namespace clearance::testing
