// SPDX-License-Identifier: Apache-2.0
//
// How long a server takes to serve again after each fault, and whether that is short enough.

#pragma once

#include <cstddef>
#include <vector>

#include "absl/time/time.h"

namespace clearance::hammer {

class ReadyTimes {
 public:
  void Add(absl::Duration taken);

  std::size_t count() const { return milliseconds_.size(); }
  // 0 where there are none.
  double slowest_ms() const;

  // Tells the middle and the longest of them, after these words. False, and told, where one is
  // above its flag: --ready_within of the middle, --slowest_ready_within of the longest.
  bool Judge(const char* what) const;

 private:
  std::vector<double> milliseconds_;
};

}  // namespace clearance::hammer
