// SPDX-License-Identifier: Apache-2.0
//
// What a fuzz target may claim: a claim that does not hold ends the process, which is how a fuzzer
// learns of it, in every build type.

#pragma once

#include <cstdio>
#include <cstdlib>

namespace clearance::fuzz {

inline void Require(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", claim);
  std::abort();
}

}  // namespace clearance::fuzz
