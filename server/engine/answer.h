// SPDX-License-Identifier: Apache-2.0
//
// Rows to be answered, whatever their kind. A kind's AnswerRows puts the answers into columns. If a
// row's state gives a column no meaning, the row is left as it was given. AnswerRows returns how
// many rows are done: all, unless it was interrupted. Requires: work.faults are those of the kind's
// FindFaults with the same table.

#pragma once

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "core/query/work_budget.h"
#include "server/engine/answer_check.h"
#include "server/engine/row_check.h"
#include "server/engine/shape_table.h"
#include "server/engine/warm_rows.h"
#include "server/observe/batch_tally.h"

namespace clearance::server {

struct UndecidedRow {
  std::uint32_t index = 0;  // the row of the batch
  UndecidedReason reason = UndecidedReason::kNone;
};

// Which rows to answer, and what goes with them.
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

}  // namespace clearance::server
