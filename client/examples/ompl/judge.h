// SPDX-License-Identifier: Apache-2.0
//
// Judges whether configurations, and the straight paths between them, are free.

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "client/examples/ompl/robot.h"

namespace clearance::plan {

// The distance between the states by which a path is judged if nothing proves the states between
// them; radians, the root of the sum of squares.
constexpr double kResolution = 1.0 / 32;

// Returns the number of states of the path from one configuration to the other, without its
// beginning: the last at t = 1.
inline std::size_t StateCount(const JointVector& from, const JointVector& to) {
  double sum = 0;
  for (const double turn : TurnBetween(from, to)) sum += turn * turn;
  return static_cast<std::size_t>(std::fmax(std::ceil(std::sqrt(sum) / kResolution), 1));
}

struct JudgeCounts {
  std::uint64_t checks = 0;  // configurations asked
  std::uint64_t calls = 0;   // in which they were asked: a message of a session, or a function
  // For the paths found free: their number, their states at the resolution, and the checks and
  // calls for them.
  std::uint64_t free_ways = 0;
  std::uint64_t states_on_free_ways = 0;
  std::uint64_t checks_for_free_ways = 0;
  std::uint64_t calls_for_free_ways = 0;
  std::uint64_t too_near = 0;  // paths given up because next to nothing is free around a state
};

class Judge {
 public:
  Judge() = default;
  virtual ~Judge() = default;
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;

  virtual bool IsFree(const JointVector& joints) = 0;

  // Requires: `from` was found free.
  bool IsFreeBetween(const JointVector& from, const JointVector& to) {
    const JudgeCounts before = counts_;
    if (!DoIsFreeBetween(from, to)) return false;
    ++counts_.free_ways;
    counts_.states_on_free_ways += StateCount(from, to);
    counts_.checks_for_free_ways += counts_.checks - before.checks;
    counts_.calls_for_free_ways += counts_.calls - before.calls;
    return true;
  }

  const JudgeCounts& counts() const { return counts_; }
  // If it is not OK, nothing is free.
  const absl::Status& status() const { return status_; }

 protected:
  virtual bool DoIsFreeBetween(const JointVector& from, const JointVector& to) = 0;

  JudgeCounts counts_;
  absl::Status status_;
};

}  // namespace clearance::plan
