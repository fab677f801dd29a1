// SPDX-License-Identifier: Apache-2.0
//
// Which part of a way, t in [0, 1], is proved, and where to ask next.

#pragma once

#include <cstddef>
#include <vector>

namespace clearance::plan {

class Coverage {
 public:
  // Everything nearer to t than this is proved. Requires: above 0.
  void Add(double t, double half_width);

  bool IsWhole() const { return Gaps().empty(); }

  // Times in the gaps, as many in each as would close it if they proved as much as what is beside
  // it did, but at most so many in each. Empty: the whole way is proved.
  std::vector<double> NextTimes(std::size_t most_in_gap) const;

 private:
  struct Interval {
    double from = 0;
    double to = 0;
    double half_width = 0;
  };

  // With what the nearest proof beside it reached.
  std::vector<Interval> Gaps() const;

  std::vector<Interval> proved_;  // by `from`
};

}  // namespace clearance::plan
