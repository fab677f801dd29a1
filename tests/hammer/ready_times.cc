// SPDX-License-Identifier: Apache-2.0

#include "tests/hammer/ready_times.h"

#include <algorithm>
#include <cstdio>

#include "absl/flags/flag.h"

ABSL_FLAG(absl::Duration, ready_within, absl::InfiniteDuration(),
          "The middle of the times until it serves after a start or a fault may be this long.");
ABSL_FLAG(absl::Duration, slowest_ready_within, absl::InfiniteDuration(),
          "The longest of these times may be this long.");

namespace clearance::hammer {

void ReadyTimes::Add(absl::Duration taken) {
  milliseconds_.push_back(absl::ToDoubleMilliseconds(taken));
}

double ReadyTimes::slowest_ms() const {
  if (milliseconds_.empty()) return 0;
  return *std::max_element(milliseconds_.begin(), milliseconds_.end());
}

bool ReadyTimes::Judge(const char* what) const {
  if (milliseconds_.empty()) return true;
  std::vector<double> sorted = milliseconds_;
  std::sort(sorted.begin(), sorted.end());
  const double middle = sorted[sorted.size() / 2];
  std::printf("%s after %.0f ms in the middle, %.0f ms at most\n", what, middle, sorted.back());
  const bool is_slow =
      absl::Milliseconds(middle) > absl::GetFlag(FLAGS_ready_within) ||
      absl::Milliseconds(sorted.back()) > absl::GetFlag(FLAGS_slowest_ready_within);
  if (is_slow) std::printf("FAULT: %s too late\n", what);
  return !is_slow;
}

}  // namespace clearance::hammer
