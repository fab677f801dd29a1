// SPDX-License-Identifier: Apache-2.0
//
// The last line but one of every program that hammers, from which ./dev hammer makes its table.

#pragma once

#include <cstdint>
#include <cstdio>

namespace clearance::hammer {

struct Result {
  const char* kind = "";
  std::uint64_t faults = 0;
  std::uint64_t wrong = 0;  // answers, and stores that were refused
  std::uint64_t lost = 0;   // of what was acknowledged
  double slowest_ready_ms = 0;
};

inline void PrintResult(const Result& result) {
  std::printf("RESULT %s %llu %llu %llu %.0f\n", result.kind,
              static_cast<unsigned long long>(result.faults),
              static_cast<unsigned long long>(result.wrong),
              static_cast<unsigned long long>(result.lost), result.slowest_ready_ms);
}

}  // namespace clearance::hammer
