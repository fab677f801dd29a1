// SPDX-License-Identifier: Apache-2.0
//
// How long things took, and how much processor time.

#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace game {

// Durations of one kind of thing.
class Durations {
 public:
  void Add(absl::Duration duration) { seconds_.push_back(absl::ToDoubleSeconds(duration)); }
  bool empty() const { return seconds_.empty(); }
  // The value that the share `quantile` of all is not above; 0 of none.
  double Microseconds(double quantile) const;
  // How many were longer.
  std::size_t CountAbove(absl::Duration limit) const;

 private:
  std::vector<double> seconds_;
};

absl::Duration SteadyNow();

// Processor time so far of this process and of another one on this machine (0: none), user and
// system.
struct ProcessorTime {
  double client_seconds = 0;
  double server_seconds = 0;
};
ProcessorTime ReadProcessorTime(int server_pid);
ProcessorTime operator-(const ProcessorTime& a, const ProcessorTime& b);
void operator+=(ProcessorTime& a, const ProcessorTime& b);

}  // namespace game
