// SPDX-License-Identifier: Apache-2.0
//
// One batch from its message to its reply, which may come in parts. Knows no gRPC and blocks
// nothing, so it runs on whichever thread its cost calls for.

#ifndef CLEARANCE_SERVER_SERVICE_BATCH_JOB_H_
#define CLEARANCE_SERVER_SERVICE_BATCH_JOB_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/convert/questions.h"
#include "server/convert/reply_columns.h"
#include "server/convert/row_errors.h"
#include "server/engine/answer.h"
#include "server/guard/refusal.h"
#include "server/service/call.h"

namespace clearance::server {

inline QueryKind KindOf(const v1::DistanceBatch&) { return QueryKind::kDistance; }
inline QueryKind KindOf(const v1::IntersectionBatch&) { return QueryKind::kIntersection; }
inline QueryKind KindOf(const v1::TimeOfCollisionBatch&) { return QueryKind::kTimeOfCollision; }

// A body that turns may take thousands of steps a row.
inline bool MayBeDear(const v1::TimeOfCollisionBatch& batch) {
  return batch.rotations_a_size() > 0 || batch.rotations_b_size() > 0 ||
         batch.end_poses_a_size() > 0 || batch.end_poses_b_size() > 0;
}
// An exact decision takes up to milliseconds a row.
template <class Batch>
bool MayBeDear(const Batch& batch) {
  return batch.exact();
}

// What a batch will cost at most on ordinary shapes, in units of kMaxCheapCost: every pair of
// pieces may have to be asked.
template <class Batch>
std::uint64_t CostOf(const Batch& batch, std::uint64_t vertices_a_step, std::uint64_t pieces) {
  if (MayBeDear(batch) || pieces * pieces >= kDear) return kDear;
  constexpr std::uint64_t kVerticesAUnit = 512;
  constexpr std::uint64_t kUnitsAMotion = 32;
  const std::uint64_t row = pieces * pieces * (1 + vertices_a_step / kVerticesAUnit);
  const bool is_motion = KindOf(batch) == QueryKind::kTimeOfCollision;
  return batch.pairs().count() * row * (is_motion ? kUnitsAMotion : 1);
}
template <class Batch>
std::uint64_t CostOf(const Batch& batch, const ShapeTable& table) {
  return CostOf(batch, table.max_vertices_a_step(), table.max_piece_count());
}

// What a job has use for beside its batch, and may do without.
struct JobHelpers {
  AnswerChecker* checker = nullptr;  // null: no answer is checked
  WarmRows* warm_rows = nullptr;     // of the session; null: every row begins cold
};

template <class Batch, class Result, class Lists>
class BatchJob {
 public:
  // Finds everything that refuses the batch as a whole, and the rows that are refused by
  // themselves. The batch and the table are borrowed, and the table must not change before the last
  // part; the helpers likewise.
  static absl::StatusOr<BatchJob> Start(const Batch& batch, const ShapeTable& table,
                                        const Limits& limits, const JobHelpers& helpers) {
    const absl::Time began = absl::Now();
    auto questions = ParseQuestions(batch, limits);
    if (!questions.ok()) return questions.status();
    BatchJob job(batch, table, *std::move(questions));
    job.max_bytes_ = MaxReplyBytesOf(batch.options(), limits);
    job.helpers_ = helpers;
    if (absl::Status status =
            job.RequireReplyBytes(kMaxReplyOverhead + job.row_bytes_ + kMaxRowErrorBytes);
        !status.ok()) {
      return status;
    }
    job.faults_ = FindFaults(job.questions_, table);
    job.computed_ = absl::Now() - began;
    return job;
  }

  // RESOURCE_EXHAUSTED unless the whole answer fits into one reply.
  absl::Status RequireOneReply() const {
    return RequireReplyBytes(kMaxReplyOverhead + row_bytes_ * count() +
                             kMaxRowErrorBytes * faults_.size());
  }

  bool is_done() const { return next_row_ == count(); }

  // Answers as many rows as fit into one reply. Requires: not done.
  void AnswerPart(const StopRule& stop, Result* result) {
    const absl::Time began = absl::Now();
    const std::size_t first_fault = next_fault_;
    const std::uint32_t rows = TakeRows();
    const auto faults =
        absl::MakeConstSpan(faults_).subspan(first_fault, next_fault_ - first_fault);
    PartChecks checks(helpers_.checker, tally_.kind(),
                      rows - static_cast<std::uint32_t>(faults.size()));
    const absl::Duration budget = TimeBudgetOf(batch_.options());
    const auto should_stop = [&] {
      return stop.Within(budget + checking_ + checks.took()).ShouldStop();
    };

    Lists lists;
    std::vector<UndecidedRow> undecided;
    const auto columns = MakeColumns(batch_, rows, &lists, result);
    AnswerRows(questions_,
               Work{next_row_, rows, faults, table_, should_stop, tally_, undecided, &checks,
                    helpers_.warm_rows},
               columns);
    FinishColumns(columns, result);
    Describe(rows, result);
    for (const RowFault& fault : faults) FillRowError(fault, table_, result->add_errors());
    AddUndecided(undecided, result);
    next_row_ += rows;
    checking_ += checks.took();
    computed_ += absl::Now() - began - checks.took();
  }

  void Record(Metrics& metrics) const { metrics.Record(tally_, computed_); }

 private:
  using Questions = typename decltype(ParseQuestions(std::declval<const Batch&>(),
                                                     std::declval<const Limits&>()))::value_type;

  BatchJob(const Batch& batch, const ShapeTable& table, Questions questions)
      : batch_(batch),
        table_(table),
        questions_(std::move(questions)),
        row_bytes_(MaxRowBytes(batch)),
        tally_(KindOf(batch)) {}

  std::uint32_t count() const { return questions_.pairs.count; }

  absl::Status RequireReplyBytes(std::uint64_t bytes) const {
    if (bytes <= max_bytes_) return absl::OkStatus();
    return Refuse(
        absl::StatusCode::kResourceExhausted,
        {.field = "options.max_reply_bytes",
         .value = FormatNumber(max_bytes_),
         .limit = ">= " + FormatNumber(bytes) + " for this batch, and the server's max_reply_bytes",
         .message = "The answer would be larger than is accepted; split the batch, ask for fewer "
                    "columns or "
                    "use a session."});
  }

  // The number of the next rows whose answers fit into one reply, at least 1; moves next_fault_
  // behind their faults.
  std::uint32_t TakeRows() {
    std::uint64_t bytes = kMaxReplyOverhead;
    std::uint32_t row = next_row_;
    for (; row < count(); ++row) {
      const bool has_fault = next_fault_ < faults_.size() && faults_[next_fault_].index == row;
      bytes += row_bytes_ + (has_fault ? kMaxRowErrorBytes : 0);
      if (bytes > max_bytes_) break;
      if (has_fault) ++next_fault_;
    }
    return row - next_row_;
  }

  void Describe(std::uint32_t rows, Result* result) const {
    result->set_count(rows);
    result->set_first_row(next_row_);
    result->set_total_count(count());
  }

  static void AddUndecided(const std::vector<UndecidedRow>& undecided, Result* result) {
    for (const UndecidedRow& row : undecided) {
      auto* const entry = result->add_undecided();
      entry->set_index(row.index);
      entry->set_reason(static_cast<v1::UndecidedReason>(row.reason));
    }
  }

  const Batch& batch_;
  const ShapeTable& table_;
  Questions questions_;
  std::uint64_t row_bytes_;
  std::uint64_t max_bytes_ = 0;
  std::vector<RowFault> faults_;
  std::size_t next_fault_ = 0;
  std::uint32_t next_row_ = 0;
  BatchTally tally_;
  JobHelpers helpers_;
  absl::Duration computed_;
  absl::Duration checking_;  // not the rows' time
};

using DistanceJob = BatchJob<v1::DistanceBatch, v1::DistanceBatchResult, DistanceLists>;
using IntersectionJob =
    BatchJob<v1::IntersectionBatch, v1::IntersectionBatchResult, IntersectionLists>;
using TimeOfCollisionJob =
    BatchJob<v1::TimeOfCollisionBatch, v1::TimeOfCollisionBatchResult, TimeOfCollisionLists>;

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_SERVICE_BATCH_JOB_H_
