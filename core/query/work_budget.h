// SPDX-License-Identifier: Apache-2.0
//
// The work that one row may still cost. Two things end it: a clock, which a Pacer asks, and a limit
// of steps. Steps depend on the question alone. So the limit stops a row at the same place on every
// machine.

#pragma once

#include <cstdint>
#include <limits>

#include "core/query/state.h"
#include "core/shape/pacer.h"

namespace clearance {

// The cost of a distance of two convex shapes, in vertices scanned: a constant and a part for each
// of their vertices; and the cost of a bound of two balls. Large hulls that are apart cost less,
// and those that touch more: a search in double-double scans them some hundred times.
inline constexpr std::uint64_t kVerticesADistance = 1024;
inline constexpr std::uint64_t kScansADistance = 4;
inline constexpr std::uint64_t kVerticesABound = 32;
// The same in distances: of a straight way, and of a decision in exact numbers.
inline constexpr std::uint64_t kDistancesAWay = 4;
inline constexpr std::uint64_t kDistancesAnExactPair = 128;
inline constexpr std::uint64_t VerticesOfDistance(std::uint64_t vertices) {
  return kVerticesADistance + kScansADistance * vertices;
}

// Counts in vertices scanned, as Pacer does. Thread-compatible.
class WorkBudget {
 public:
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  // `pacer` outlives this; null: no clock ends it.
  explicit WorkBudget(Pacer* pacer = nullptr, std::uint64_t most_steps = kUnlimited)
      : pacer_(pacer), left_(most_steps) {}

  // Work that may depend on the machine, done or about to be: only the pacer is told. False: give
  // up.
  bool Spend(std::uint64_t vertices) {
    if (pacer_ != nullptr) pacer_->Spend(vertices);
    return !has_ended();
  }

  // Work that the question asks for wherever it is asked: the limit counts it as well. False: give
  // up.
  bool Take(std::uint64_t vertices) {
    is_over_ = is_over_ || vertices > left_;
    if (!is_over_) left_ -= vertices;
    return Spend(vertices);
  }

  Pacer* pacer() const { return pacer_; }

  bool has_ended() const { return reason() != UndecidedReason::kNone; }

  // Why the row is given up; kNone: it is not.
  UndecidedReason reason() const {
    if (is_over_) return UndecidedReason::kWork;
    return pacer_ != nullptr && pacer_->has_stopped() ? UndecidedReason::kBudget
                                                      : UndecidedReason::kNone;
  }

 private:
  Pacer* pacer_;
  std::uint64_t left_;
  bool is_over_ = false;
};

// The same of a budget that may be null, which never ends.
inline bool HasEnded(const WorkBudget* budget) { return budget != nullptr && budget->has_ended(); }
inline Pacer* PacerOf(const WorkBudget* budget) {
  return budget == nullptr ? nullptr : budget->pacer();
}

// The answer after the budget has ended: kUndecided, and nothing else is known.
template <class Answer>
Answer Ended(const WorkBudget& budget, std::uint32_t iterations) {
  Answer answer;
  answer.reason = budget.reason();
  answer.iterations = iterations;
  return answer;
}

}  // namespace clearance
