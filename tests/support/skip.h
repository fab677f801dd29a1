// SPDX-License-Identifier: Apache-2.0
//
// How a test says that it is skipped: by a line "SKIPPED: reason". Reasons that name no missing
// program are listed in allowed_skips.txt.

#ifndef CLEARANCE_TESTS_SUPPORT_SKIP_H_
#define CLEARANCE_TESTS_SUPPORT_SKIP_H_

#include <cstdio>
#include <string>

namespace clearance::test {

// Of tests and benchmarks that read recorded data.
inline constexpr char kNoDataSets[] = "SKIPPED: no data sets in ../shared/data";

// Prints why a program is skipped. Returns the exit status that ctest takes for that.
[[nodiscard]] inline int Skip(const std::string& reason) {
  constexpr int kSkipped = 77;
  std::printf("SKIPPED: %s\n", reason.c_str());
  return kSkipped;
}

}  // namespace clearance::test

#endif  // CLEARANCE_TESTS_SUPPORT_SKIP_H_
