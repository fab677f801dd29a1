// SPDX-License-Identifier: Apache-2.0

#include "client/examples/ompl/coverage.h"

#include <algorithm>
#include <cmath>

namespace clearance::plan {

void Coverage::Add(double t, double half_width) {
  const Interval added = {t - half_width, t + half_width, half_width};
  const auto is_before = [](const Interval& a, const Interval& b) { return a.from < b.from; };
  proved_.insert(std::upper_bound(proved_.begin(), proved_.end(), added, is_before), added);
}

std::vector<Coverage::Interval> Coverage::Gaps() const {
  std::vector<Interval> gaps;
  double reached = 0;
  double beside = 0;  // of what reached so far
  for (const Interval& next : proved_) {
    // An interval is open: where one only begins as another ends, the point between is not proved.
    if (next.from >= reached && reached <= 1) {
      const double nearest = beside > 0 ? (beside + next.half_width) / 2 : next.half_width;
      gaps.push_back({reached, std::fmin(next.from, 1), nearest});
    }
    if (next.to <= reached) continue;
    reached = next.to;
    beside = next.half_width;
  }
  if (reached <= 1) gaps.push_back({reached, 1, beside > 0 ? beside : 1});
  return gaps;
}

std::vector<double> Coverage::NextTimes(std::size_t most_in_gap) const {
  std::vector<double> times;
  for (const Interval& gap : Gaps()) {
    const double length = gap.to - gap.from;
    const double wanted = std::ceil(length / (2 * gap.half_width));
    const auto most = static_cast<double>(most_in_gap);
    const auto count = static_cast<std::size_t>(std::clamp(wanted, 1.0, most));
    for (std::size_t i = 0; i < count; ++i) {
      const double part = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
      times.push_back(gap.from + part * length);
    }
  }
  return times;
}

}  // namespace clearance::plan
