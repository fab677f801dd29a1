// SPDX-License-Identifier: Apache-2.0
//
// Rows to be answered, whatever their kind. A kind's AnswerRows puts the answers into columns. If a
// row's state gives a column no meaning, the row is left as it was given. AnswerRows returns how
// many rows are done: all, unless it was interrupted. Requires: work.faults are those of the kind's
// FindFaults with the same table.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "core/query/work_budget.h"
#include "server/engine/answer_check.h"
#include "server/engine/row_check.h"
#include "server/engine/rows.h"
#include "server/engine/shape_table.h"
#include "server/engine/warm_rows.h"
#include "server/observe/batch_tally.h"

namespace clearance::server {

struct UndecidedRow {
  std::uint32_t index = 0;  // the row of the batch
  UndecidedReason reason = UndecidedReason::kNone;
};

struct Work {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  absl::Span<const RowFault> faults;  // those of the rows first .. first + count, in order
  const ShapeTable& table;
  // Asked at the start and then at least every 64 cheap rows, more often where rows are dear. Once
  // it says true the rows that are left come back undecided, with reason kBudget, or, if it has set
  // *is_interrupted, are left as they are, for another call.
  absl::FunctionRef<bool()> should_stop;
  BatchTally& tally;
  std::vector<UndecidedRow>& undecided;
  PartChecks* checks = nullptr;   // null: none
  WarmRows* warm_rows = nullptr;  // null: every row begins cold
  // The most work of one row, in vertices as WorkBudget counts them. A row that takes more comes
  // back undecided, with reason kWork.
  std::uint64_t most_steps = WorkBudget::kUnlimited;
  const bool* is_interrupted = nullptr;  // null: it never is

  bool MustLeaveRows() const { return is_interrupted != nullptr && *is_interrupted; }
};

// Cost of a cheap row in addition to the vertices that it scans, in vertices (pacer.h).
inline constexpr std::uint64_t kVerticesARow = 2048;

// Typical iterations of a distance computation: the cost of one step of a time of collision. Each
// iteration has a fixed cost even if the shapes are points.
inline constexpr std::uint64_t kIterationsPerStep = 8;
inline constexpr std::uint64_t kVerticesAnIteration = 256;

// Fewer than the core takes side by side, since the clock is looked at between them.
inline constexpr std::size_t kDistanceRowsAtOnce = 32;

// Answers, refuses or gives up each row. Kind has:
//     questions, columns, Answer, kMostAtOnce
//     Asked(row) -> the question as the core takes it
//     Ask(rows, budgets, answers), Expected(row) and Scanned(answer, row) vertices
//     Put(answer, i) and, for a refused row, Skip(i)
template <class Kind>
class RowLoop {
 public:
  RowLoop(const Work& work, const Kind& kind)
      : work_(work),
        kind_(kind),
        pacer_(work.should_stop),
        answers_(std::min<std::size_t>(Kind::kMostAtOnce, work.count)) {}

  // Returns how many rows are done.
  std::uint32_t Run() {
    for (std::uint32_t i = 0; i < work_.count;) {
      if (work_.MustLeaveRows()) return i;
      const std::uint32_t end = Gather(i);
      const bool is_reached = !pacer_.has_stopped();
      if (is_reached) {
        if (!asked_.empty()) {
          kind_.Ask(asked_, absl::MakeSpan(budgets_),
                    absl::MakeSpan(answers_).first(asked_.size()));
        }
        if (work_.MustLeaveRows()) return i;
      } else {
        Answer none;
        none.reason = UndecidedReason::kBudget;
        answers_.assign(answers_.size(), none);
      }
      for (std::size_t k = 0; i < end; ++i) {
        if (k < asked_.size() && asked_[k] == work_.first + i) {
          Put(i, answers_[k++], is_reached);
        } else {
          kind_.columns.states[i] = work_.tally.refused_state();
          kind_.Skip(i);
          work_.tally.AddRefused();
        }
      }
    }
    return work_.count;
  }

 private:
  using Answer = typename Kind::Answer;

  // Gathers the rows from i on that are asked together: as many as the kind takes at once, unless
  // they may cost too much together, without those that are refused. Returns the end of these rows.
  std::uint32_t Gather(std::uint32_t i) {
    asked_.clear();
    budgets_.clear();
    Pacer::Cost cost;
    for (; i < work_.count && asked_.size() < Kind::kMostAtOnce && !cost.IsHigh(); ++i) {
      const std::uint32_t row = work_.first + i;
      if (next_fault_ < work_.faults.size() && work_.faults[next_fault_].index == row) {
        ++next_fault_;
        continue;
      }
      asked_.push_back(row);
      budgets_.emplace_back(&pacer_, work_.most_steps);
      cost.Add(kVerticesARow + kind_.Expected(row));
    }
    return i;
  }

  // Puts row i of the work, which was asked or given up.
  void Put(std::uint32_t i, const Answer& answer, bool was_asked) {
    const std::uint32_t row = work_.first + i;
    if (was_asked) {
      work_.tally.Add(answer);
      pacer_.Spend(kVerticesARow + kind_.Scanned(answer, row));
    } else {
      work_.tally.AddNotReached();
    }
    if (answer.reason != UndecidedReason::kNone) work_.undecided.push_back({row, answer.reason});
    kind_.columns.states[i] = static_cast<int>(answer.state);
    kind_.Put(answer, i);
    // Checked after it is put, so that no finding can change it. Rows that were answered before
    // an interruption are checked nevertheless.
    const bool has_time = !pacer_.has_stopped() || work_.MustLeaveRows();
    if (!has_time || work_.checks == nullptr || !work_.checks->Wants()) return;
    const PairRows& pairs = kind_.questions.pairs;
    const DigestPair digests = {work_.table.digest(*pairs.slots_a.at(row)),
                                work_.table.digest(*pairs.slots_b.at(row))};
    work_.checks->Check(kind_.Asked(row), answer, digests);
    pacer_.LookNow();
  }

  const Work& work_;
  const Kind& kind_;
  Pacer pacer_;
  std::size_t next_fault_ = 0;
  absl::InlinedVector<std::uint32_t, Kind::kMostAtOnce> asked_;
  absl::InlinedVector<WorkBudget, Kind::kMostAtOnce> budgets_;  // one each of asked_
  // One for each row that there may be; for one row only one, since each is larger than its
  // question.
  absl::InlinedVector<Answer, Kind::kMostAtOnce> answers_;
};

// An exact decision may take milliseconds, and it is not known which rows need one: the clock is
// looked at after every few rows.
inline constexpr std::uint64_t kVerticesAnExactRow = 32768;

// High enough that a row is not asked together with others.
inline constexpr std::uint64_t kVerticesADearRow = std::uint64_t{1} << 20;

// Requires: the row has no fault.
inline AskedPair AskedPairOf(const ShapeTable& table, const PairRows& pairs, std::uint32_t row) {
  return {*table.body(*pairs.slots_a.at(row)), *table.body(*pairs.slots_b.at(row)),
          PoseAt(pairs.poses_a, row), PoseAt(pairs.poses_b, row)};
}

// The work of one pair's rows.
struct PairWork {
  // Returns the vertices that a row of so many steps has scanned. `overhead` is that of a step, and
  // every pair of pieces costs its look at the bounds.
  std::uint64_t Scanned(std::uint64_t steps, std::uint64_t overhead = 0) const {
    return piece_pairs + steps * (overhead + vertices_a_step);
  }
  // Returns the most vertices that a row of ordinary hulls scans: every pair of pieces may be
  // asked.
  std::uint64_t Expected() const {
    constexpr std::uint64_t kExpectedSteps = 8;
    return piece_pairs * (1 + kExpectedSteps * vertices_a_step);
  }

  std::uint64_t piece_pairs = 0;
  std::uint64_t vertices_a_step = 0;
};
// Requires: the row has no fault.
inline PairWork WorkOf(const ShapeTable& table, const PairRows& pairs, std::uint32_t row) {
  const std::uint32_t a = *pairs.slots_a.at(row), b = *pairs.slots_b.at(row);
  return {table.body(a)->pieces().size() * table.body(b)->pieces().size(),
          table.vertices_a_step(a) + table.vertices_a_step(b)};
}
// Returns that of the table's largest bodies: no row has more.
inline PairWork MostWorkOf(const ShapeTable& table) {
  const std::uint64_t pieces = table.max_piece_count();
  return {pieces * pieces, 2 * table.max_vertices_a_step()};
}

// Returns whether rows of so few vertices cost the same, however many they scan.
inline bool IsCheap(std::uint64_t vertices) { return vertices < kVerticesARow; }

}  // namespace clearance::server
