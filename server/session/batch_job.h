// SPDX-License-Identifier: Apache-2.0
//
// Answers one batch, possibly in several reply parts. Knows no gRPC and never blocks, so it runs on
// whichever thread its cost calls for.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/convert/row_errors.h"
#include "server/engine/answer.h"
#include "server/guard/quota.h"
#include "server/guard/refusal.h"
#include "server/kinds/kinds.h"
#include "server/kinds/reply_columns.h"
#include "server/observe/steady_clock.h"
#include "server/schedule/stop_rule.h"
#include "server/schedule/work.h"
#include "server/session/call_scope.h"

namespace clearance::server {

// Returns the maximum bytes of a part of a session's answer. If more rows are refused than are
// counted here, there are more parts.
template <class Batch>
std::uint64_t MostReplyBytes(const Batch& batch, const Limits& limits) {
  const std::uint64_t rows = std::min<std::uint64_t>(RowCountOf(batch), limits.max_batch_rows);
  const std::uint64_t refused_rows = std::min(rows, 64 + rows / 64);
  return std::min(kMaxReplyOverhead + rows * MaxRowBytes<KindOf<Batch>>(batch) +
                      refused_rows * kMaxRowErrorBytes,
                  MaxReplyBytesOf(batch.options(), limits));
}

// The rows that the core takes side by side, and their gain over CostOf, which assumes the maximum
// cost of each row alone.
struct SideBySide {
  std::uint32_t rows = 16;
  std::uint64_t gain = 1;
};
// A pair with a margin is asked separately.
inline SideBySide SideBySideIn(const CheckQuestions& questions) {
  constexpr std::uint64_t kGain = 4;  // 16 was measured with few pairs near
  const auto& [count, asked, poses] = questions.configurations;
  const bool is_few = poses.data != nullptr && asked.bodies.size() <= kMostBodiesSideBySide;
  const bool has_margins = (asked.rules != nullptr && asked.rules->largest_margin() > 0) ||
                           asked.scene->rules().largest_margin() > 0 ||
                           asked.scene->largest_margin() > 0 ||
                           std::any_of(asked.bodies.begin(), asked.bodies.end(),
                                       [](const SceneBody& body) { return body.margin > 0; });
  if (!is_few || has_margins || questions.wants_free_radii || questions.max_pairs > 0) return {};
  return {kChecksAtOnce, kGain};
}
template <class Questions>
SideBySide SideBySideIn(const Questions&) {
  return {};
}

// Returns whether rows begin where those of the last batch ended.
template <class Batch>
bool IsWarm(const Batch& batch) {
  if constexpr (requires { batch.warm_start(); }) {
    return batch.warm_start();
  } else {
    return false;
  }
}

// Optional helpers of a job, beside its batch.
struct JobHelpers {
  AnswerChecker* checker = nullptr;  // null: no answer is checked
  WarmRows* warm_rows = nullptr;     // of the session; null: every row begins cold
  std::size_t workers = 0;           // threads that parts may be left to; 0: none
  bool is_in_place = false;          // on a polling thread, for kMostInPlace at most
  std::uint64_t cost = 0;            // of the batch
  std::uint64_t most_steps = WorkBudget::kUnlimited;  // of a row, in vertices
  const Caller* caller = nullptr;                     // charged, and named in the log; null: none
};

// Rows of one part that one thread answers, and their results.
struct Chunk {
  RowRange rows;                      // of the part: those that are left
  absl::Span<const RowFault> faults;  // theirs
  BatchTally tally;
  PartChecks checks;
  std::vector<UndecidedRow> undecided;
  absl::Duration took = absl::ZeroDuration();

  // Removes answered rows. `first_row` is the batch's row of the part's first.
  void RemoveFirst(std::uint32_t count, std::uint32_t first_row) {
    rows.first += count;
    rows.count -= count;
    while (!faults.empty() && faults.front().index < first_row + rows.first)
      faults.remove_prefix(1);
  }
};
using Chunks = absl::InlinedVector<Chunk, 1>;

template <class Kind>
class BatchJob {
 public:
  using Batch = typename Kind::Batch;
  using Result = typename Kind::Result;
  using Questions = typename Kind::Questions;

  // Refuses the whole batch, or finds the rows that are refused individually. The batch, the
  // subjects of its questions, the table and the helpers are borrowed; the table must not change
  // before the last part.
  // NOLINTNEXTLINE(readability-function-size): one parameter for each thing that a job is about
  static absl::StatusOr<BatchJob> Start(const Batch& batch, Questions questions,
                                        const ShapeTable& table, const Limits& limits,
                                        const JobHelpers& helpers) {
    const SteadyTime began = SteadyNow();
    BatchJob job(batch, table, std::move(questions));
    job.max_bytes_ = MaxReplyBytesOf(batch.options(), limits);
    job.helpers_ = helpers;
    if (absl::Status status =
            job.RequireReplyBytes(kMaxReplyOverhead + job.row_bytes_ + kMaxRowErrorBytes);
        !status.ok()) {
      return status;
    }
    if (helpers.warm_rows != nullptr && IsWarm(batch)) helpers.warm_rows->Reserve(job.count());
    job.faults_ = FindFaults(job.questions_, table);
    job.computed_ = SteadyNow() - began;
    return job;
  }

  // Limits the bytes of a part. Requires: one refused row fits into them.
  void KeepPartsTo(std::uint64_t bytes) { max_bytes_ = bytes; }
  // Returns the cost of the rows that are not answered yet.
  std::uint64_t CostLeft() const {
    return is_done() ? 0 : helpers_.cost * (count() - next_row_) / count();
  }

  // Returns the refusal of the first refused row.
  absl::Status RequireNoFault() const {
    if (faults_.empty()) return absl::OkStatus();
    v1::Error error;
    FillRowError(faults_.front(), table_, &error);
    return StatusOf(error);
  }

  // RESOURCE_EXHAUSTED unless the whole answer fits into one reply.
  absl::Status RequireOneReply() const {
    return RequireReplyBytes(kMaxReplyOverhead + row_bytes_ * count() +
                             kMaxRowErrorBytes * faults_.size());
  }

  bool is_done() const { return next_row_ == count(); }

  // Answers as many rows as fit into one reply, or leaves parts of them to be answered. All
  // borrowed objects outlive the parts, and the job is not moved. Requires: not done.
  void AnswerPart(const StopRule& stop, Result* result, Parts* left) {
    const SteadyTime began = SteadyNow();
    Reply& reply = reply_.emplace(stop, result);
    const std::size_t first_fault = next_fault_;
    reply.rows = TakeRows();
    left->cost = helpers_.cost * reply.rows / count();
    reply.faults = absl::MakeConstSpan(faults_).subspan(first_fault, next_fault_ - first_fault);
    reply.columns = MakeColumns<Kind>(batch_, reply.rows, result);
    AddChunks(reply.faults, {0, RowsAChunk(reply.rows)}, &reply);
    if (helpers_.workers > 0) {
      LeaveChunks(left);
    } else if (AnswerInPlace()) {
      Finish();
    } else {
      HandOver(left);
    }
    computed_ += SteadyNow() - began;
  }

  void Record(Metrics& metrics) const { metrics.Record(tally_, computed_); }

 private:
  // The reply that is being made.
  struct Reply {
    Reply(const StopRule& reply_stop, Result* reply_result)
        : stop(reply_stop), result(reply_result) {}

    const StopRule& stop;
    Result* result;
    std::uint32_t rows = 0;
    absl::Span<const RowFault> faults;
    Columns columns;
    std::optional<Chunk> done;  // the rows answered in place, if the rest was handed over
    Chunks chunks;
    absl::Duration checking;  // in earlier chunks, if they go in order
  };

  BatchJob(const Batch& batch, const ShapeTable& table, Questions questions)
      : batch_(batch),
        table_(table),
        questions_(std::move(questions)),
        row_bytes_(MaxRowBytes<Kind>(batch)),
        tally_(KindTraits<Kind>::kKind) {}

  std::uint32_t count() const { return RowsOf(questions_).count; }

  absl::Status RequireReplyBytes(std::uint64_t bytes) const {
    if (bytes <= max_bytes_) return absl::OkStatus();
    return Refuse(
        absl::StatusCode::kResourceExhausted,
        {.reason = Reason::kReplyTooLarge,
         .field = "options.max_reply_bytes",
         .value = FormatNumber(max_bytes_),
         .limit = ">= " + FormatNumber(bytes) + " for this batch, and the server's max_reply_bytes",
         .message = "The answer would be larger than is accepted; split the batch, ask for fewer "
                    "columns or "
                    "use a session."});
  }

  // Returns the number of next rows whose answers fit into one reply, at least 1. Moves next_fault_
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

  // Returns the rows of a chunk. Each thread gets a few chunks, to be busy until all are done, and
  // no caller waits long for one. Chunks are multiples of the rows that the core takes at once.
  std::uint32_t RowsAChunk(std::uint32_t rows) const {
    constexpr std::uint32_t kLeastShare = 128;
    constexpr std::size_t kChunksAThread = 4;
    if (helpers_.workers == 0) return rows;
    const auto share = static_cast<std::uint32_t>(rows / (kChunksAThread * helpers_.workers));
    const std::uint64_t row_cost = std::max<std::uint64_t>(1, helpers_.cost / count());
    const auto [at_once, gain] = SideBySideIn(questions_);
    const std::uint64_t turn = gain * Turns::kTurn / row_cost;
    if (turn < at_once) return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, turn));
    const std::uint64_t most = std::min<std::uint64_t>(std::max(kLeastShare, share), turn);
    return std::max(at_once, static_cast<std::uint32_t>(most / at_once) * at_once);
  }

  // The first row of the chunks, and the rows of each.
  struct Cut {
    std::uint32_t first = 0;
    std::uint32_t rows = 0;
  };
  // Requires: `faults` are those of the rows from `cut.first` on.
  void AddChunks(absl::Span<const RowFault> faults, const Cut& cut, Reply* reply) const {
    reply->chunks.reserve((reply->rows - cut.first + cut.rows - 1) / cut.rows);
    for (std::uint32_t first = cut.first; first < reply->rows; first += cut.rows) {
      const RowRange range = {first, std::min(cut.rows, reply->rows - first)};
      std::size_t refused = 0;
      while (refused < faults.size() &&
             faults[refused].index < next_row_ + range.first + range.count) {
        ++refused;
      }
      const auto answered = range.count - static_cast<std::uint32_t>(refused);
      reply->chunks.push_back(
          {range,
           faults.first(refused),
           BatchTally(tally_.kind()),
           PartChecks(helpers_.checker, tally_.kind(), answered,
                      helpers_.caller == nullptr ? CallIds{} : IdsOf(*helpers_.caller)),
           {},
           {}});
      faults.remove_prefix(refused);
    }
  }

  void LeaveChunks(Parts* left) {
    left->count = reply_->chunks.size();
    left->is_in_order = reply_->columns.HasLists();
    left->part = [this](std::size_t i, SteadyTime end) {
      Chunk& chunk = reply_->chunks[i];
      bool is_done = false;
      chunk.took += Charged([&] { is_done = AnswerChunk(end, &chunk); });
      if (is_done && reply_->columns.HasLists()) reply_->checking += chunk.checks.took();
      return is_done;
    };
    left->finish = [this] {
      absl::Duration took;
      for (const Chunk& chunk : reply_->chunks) took += chunk.took;
      computed_ += took + Charged([this] { Finish(); });
    };
  }

  // Returns the time that the work took; its processor time is charged to the caller.
  template <class DoWork>
  absl::Duration Charged(const DoWork& work) const {
    std::optional<ProcessorMeter> meter;
    if (helpers_.caller != nullptr) meter.emplace(*helpers_.caller);
    const SteadyTime began = SteadyNow();
    work();
    return SteadyNow() - began;
  }

  // Returns false if this is a polling thread and the rows take longer than it has.
  bool AnswerInPlace() {
    const SteadyTime end =
        helpers_.is_in_place ? SteadyNow() + kMostInPlace : SteadyTime::InfiniteFuture();
    for (Chunk& chunk : reply_->chunks) {
      if (!AnswerChunk(end, &chunk)) return false;
    }
    return true;
  }

  // Leaves the remaining rows to workers, in parts of as many rows as were answered in place. That
  // number is the only known measure of their cost.
  void HandOver(Parts* left) {
    Reply& reply = *reply_;
    Chunk& begun = reply.chunks.front();
    const std::uint32_t done = begun.rows.first;
    reply.done.emplace(std::move(begun));
    reply.chunks.clear();
    AddChunks(FaultsFrom(done), {done, std::max<std::uint32_t>(1, done)}, &reply);
    left->cost = Turns::kTurn * reply.chunks.size();
    LeaveChunks(left);
  }

  absl::Span<const RowFault> FaultsFrom(std::uint32_t row) const {
    absl::Span<const RowFault> faults = reply_->faults;
    while (!faults.empty() && faults.front().index < next_row_ + row) faults.remove_prefix(1);
    return faults;
  }

  // Answers the rows of the chunk that are not answered yet, until `end`. Returns false if some are
  // left. Thread-safe for different chunks, if they need no order.
  bool AnswerChunk(SteadyTime end, Chunk* chunk) const {
    const absl::Duration budget = TimeBudgetOf(batch_.options()) + checking_ + reply_->checking;
    bool is_interrupted = false;
    const auto should_stop = [&] {
      if (reply_->stop.Within(budget + chunk->checks.took()).ShouldStop()) return true;
      if (ProcessorMeter::IsOverdrawn()) return true;
      is_interrupted = SteadyNow() >= end;
      return is_interrupted;
    };
    const std::uint32_t done =
        AnswerRows(questions_,
                   Work{next_row_ + chunk->rows.first, chunk->rows.count, chunk->faults, table_,
                        should_stop, chunk->tally, chunk->undecided, &chunk->checks,
                        helpers_.warm_rows, helpers_.most_steps, &is_interrupted},
                   Slice<Kind>(reply_->columns, chunk->rows));
    chunk->RemoveFirst(done, next_row_);
    return chunk->rows.count == 0;
  }

  void Finish() {
    Result* const result = reply_->result;
    Describe(reply_->rows, result);
    for (const RowFault& fault : reply_->faults) FillRowError(fault, table_, result->add_errors());
    absl::Duration longest;
    absl::Duration all;
    const auto add = [&](const Chunk& chunk) {
      AddUndecided(chunk.undecided, result);
      tally_.Merge(chunk.tally);
      longest = std::max(longest, chunk.checks.took());
      all += chunk.checks.took();
    };
    if (reply_->done) add(*reply_->done);
    for (const Chunk& chunk : reply_->chunks) add(chunk);
    next_row_ += reply_->rows;
    checking_ += reply_->columns.HasLists() ? all : longest;
    computed_ -= all;
    reply_.reset();
  }

  void Describe(std::uint32_t rows, Result* result) const {
    result->set_count(rows);
    result->set_first_row(next_row_);
    result->set_total_count(count());
    if constexpr (kIsAboutScene<Kind>)
      result->set_scene_revision(RowsOf(questions_).asked.revision);
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
  std::optional<Reply> reply_;
  absl::Duration computed_;  // by all threads together, without checks
  absl::Duration checking_;  // not part of the rows' time
};

}  // namespace clearance::server
