// SPDX-License-Identifier: Apache-2.0
//
// Answers one batch, possibly in several reply parts. Knows no gRPC and never blocks, so it runs on
// whichever thread its cost calls for. The cost is told before anything is known but the batch and
// its subject.

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/convert/batch_form.h"
#include "server/convert/wire_errors.h"
#include "server/engine/row_loop.h"
#include "server/guard/quota.h"
#include "server/guard/refusal.h"
#include "server/kinds/kinds.h"
#include "server/kinds/reply_columns.h"
#include "server/observe/steady_clock.h"
#include "server/schedule/work.h"
#include "server/session/call_scope.h"
#include "server/session/session_scenes.h"

namespace clearance::server {

// Returns the maximum cost of a batch on ordinary shapes, in units of kMaxCheapCost, if every pair
// of pieces must be asked. Beyond some seconds the estimate is poor, and the numbers are the
// caller's, unchecked. The limit keeps one message from taking the place of many.
template <class Batch>
std::uint64_t CostOf(const Batch& batch, std::uint64_t vertices_a_step, std::uint64_t pieces) {
  constexpr std::uint64_t kVerticesAUnit = 512;
  constexpr double kMostCost = 10e6;
  // The caller's numbers are unchecked here: their product may be of any size.
  const double rows = batch.pairs().count();
  const std::uint64_t units_a_step = 1 + vertices_a_step / kVerticesAUnit;
  double row = static_cast<double>(pieces) * static_cast<double>(pieces) *
               static_cast<double>(units_a_step) * static_cast<double>(kUnitsARow<Batch>);
  if (MayBeDear(batch)) row = std::max(row, static_cast<double>(kDear));
  return static_cast<std::uint64_t>(std::min(rows * row, kMostCost));
}

struct AskedSize {
  std::uint64_t scene_bodies = 0;
  std::uint64_t query_bodies = 0;
};

// Returns the possible cost of a batch about a scene in units of kMaxCheapCost: rows, times bodies,
// times the cost of a search of the scene's tree.
template <class Batch>
std::uint64_t CostOf(const Batch& batch, const AskedSize& asked) {
  constexpr std::uint64_t kMostCost = 10'000'000;
  constexpr std::uint64_t kOwnPairsAUnit = 64;
  const std::uint64_t rows = RowCountOf(batch);
  const std::uint64_t bodies = std::max<std::uint64_t>(1, asked.query_bodies);
  const auto depth = static_cast<std::uint64_t>(std::bit_width(asked.scene_bodies));
  const std::uint64_t row =
      UnitsASearch(batch) * (1 + bodies * (1 + depth) / 2 + bodies * bodies / kOwnPairsAUnit);
  return row > kMostCost / std::max<std::uint64_t>(1, rows) ? kMostCost : rows * row;
}

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

// Holds all that a job borrows beside its batch, and the batch's cost. Up to kMaxCheapCost it is
// answered on a polling thread, for kMostInPlace at most; else parts are left to workers, if any.
struct JobScope {
  const CallScope& call;  // its caller is charged, and named in the log
  const ShapeTable& table;
  const SessionScenes* scenes = nullptr;  // not null for a batch about a scene
  WarmRows* warm_rows = nullptr;          // of the session; null: every row begins cold
  std::uint64_t cost = 0;
};

// Rows of one part that one thread answers, and their results.
struct Chunk {
  RowRange rows;  // of the part: those that are left
  BatchTally tally;
  PartChecks checks;
  std::vector<UndecidedRow> undecided;
  absl::Duration took = absl::ZeroDuration();
};

template <class Kind>
class BatchJob {
 public:
  using Batch = typename Kind::Batch;
  using Result = typename Kind::Result;
  using Questions = typename Kind::Questions;

  // Refuses the whole batch, or finds the rows that are refused individually. The scope has no cost
  // yet. The batch and its subjects are borrowed too; they must not change before the last part.
  static absl::StatusOr<BatchJob> Start(JobScope scope, const Batch& batch) {
    const Limits& limits = scope.call.parts.limits;
    absl::StatusOr<Questions> questions;
    if constexpr (kIsAboutScene<Kind>) {
      const auto asked = scope.scenes->Asked(AboutOf(batch));
      if (!asked.ok()) return asked.status();
      scope.cost = CostOf(batch, {asked->scene->size(), asked->bodies.size()});
      questions = ParseQuestions<Kind>(batch, limits, *asked);
    } else {
      const ShapeTable& table = scope.table;
      scope.cost = CostOf(batch, table.max_vertices_a_step(), table.max_piece_count());
      questions = ParseQuestions<Kind>(batch, limits);
    }
    if (!questions.ok()) return questions.status();
    const SteadyTime began = SteadyNow();
    BatchJob job(scope, batch, *std::move(questions));
    absl::Status status =
        job.RequireReplyBytes(kMaxReplyOverhead + job.row_bytes_ + kMaxRowErrorBytes);
    if (!status.ok()) return status;
    if (scope.warm_rows != nullptr) scope.warm_rows->Reserve(job.count());
    job.faults_ = FindFaults(job.questions_, scope.table);
    job.computed_ = SteadyNow() - began;
    return job;
  }

  // Limits the bytes of a part. Requires: one refused row fits into them.
  void KeepPartsTo(std::uint64_t bytes) { max_bytes_ = bytes; }
  std::uint64_t CostLeft() const {
    return is_done() ? 0 : scope_.cost * (count() - next_row_) / count();
  }

  absl::Status RequireNoFault() const {
    if (faults_.empty()) return absl::OkStatus();
    v1::Error error;
    FillRowError(faults_.front(), scope_.table, &error);
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
    Reply& reply = reply_.emplace(stop, batch_, NextRows(), result);
    left->cost = scope_.cost * reply.rows / count();
    AddChunks(0, RowsAChunk(reply.rows));
    // A polling thread has little time.
    const SteadyTime end =
        is_in_place() ? SteadyNow() + kMostInPlace : SteadyTime::InfiniteFuture();
    if (workers() > 0) {
      LeaveChunks(0, left);
    } else if (AnswerChunk(end, &reply.chunks.front())) {
      Finish();
    } else {
      // Leaves the other rows to workers, in parts of as many rows as were answered here. That
      // number is the only known measure of their cost.
      const std::uint32_t done = reply.chunks.front().rows.first;
      AddChunks(done, std::max<std::uint32_t>(1, done));
      LeaveChunks(1, left);
      left->cost = Turns::kTurn * left->count;
    }
    computed_ += SteadyNow() - began;
  }

  void Record() const { scope_.call.parts.metrics.Record(tally_, computed_); }

 private:
  // Made in place: its columns are large for a reply of few rows.
  struct Reply {
    Reply(const StopRule& rule, const Batch& batch, std::uint32_t count, Result* message)
        : stop(rule),
          result(message),
          rows(count),
          columns(MakeColumns<Kind>(batch, count, message)) {}

    const StopRule& stop;
    Result* const result;
    const std::uint32_t rows;
    const Columns columns;
    absl::InlinedVector<Chunk, 1> chunks;
    absl::Duration checking;  // in earlier chunks, if they go in order
  };

  BatchJob(const JobScope& scope, const Batch& batch, Questions questions)
      : scope_(scope),
        batch_(batch),
        questions_(std::move(questions)),
        row_bytes_(MaxRowBytes<Kind>(batch)),
        max_bytes_(MaxReplyBytesOf(batch.options(), scope.call.parts.limits)),
        tally_(Kind::kKind) {}

  std::uint32_t count() const { return RowsOf(questions_).count; }
  bool is_in_place() const { return scope_.cost <= kMaxCheapCost; }
  // Returns the threads that parts may be left to.
  std::size_t workers() const {
    return is_in_place() ? 0 : scope_.call.parts.workers.thread_count();
  }

  absl::Status RequireReplyBytes(std::uint64_t bytes) const {
    if (bytes <= max_bytes_) return absl::OkStatus();
    return Refuse(
        absl::StatusCode::kResourceExhausted,
        {.reason = Reason::kReplyTooLarge,
         .field = "options.max_reply_bytes",
         .value = FormatNumber(max_bytes_),
         .limit = ">= " + FormatNumber(bytes) + " for this batch, and the server's max_reply_bytes",
         .message = "The answer would be larger than is accepted; split the batch, ask for fewer "
                    "columns or use a session."});
  }

  // Returns the faults of rows of the part.
  absl::Span<const RowFault> FaultsOf(const RowRange& rows) const {
    const absl::Span<const RowFault> all = faults_;
    const auto from = [&](std::uint32_t row) {
      return std::ranges::lower_bound(all, next_row_ + row, {}, &RowFault::index);
    };
    return absl::MakeConstSpan(from(rows.first), from(rows.first + rows.count));
  }

  // Returns the number of next rows whose answers fit into one reply, at least 1.
  std::uint32_t NextRows() const {
    absl::Span<const RowFault> faults = FaultsOf({0, count() - next_row_});
    std::uint64_t bytes = kMaxReplyOverhead;
    std::uint32_t row = next_row_;
    for (; row < count(); ++row) {
      const bool has_fault = !faults.empty() && faults.front().index == row;
      bytes += row_bytes_ + (has_fault ? kMaxRowErrorBytes : 0);
      if (bytes > max_bytes_) break;
      if (has_fault) faults.remove_prefix(1);
    }
    return row - next_row_;
  }

  // Returns the rows of a chunk. Each thread gets a few chunks, to be busy until all are done, and
  // no caller waits long for one. Chunks are multiples of the rows that the core takes at once.
  std::uint32_t RowsAChunk(std::uint32_t rows) const {
    constexpr std::uint32_t kLeastShare = 128;
    constexpr std::size_t kChunksAThread = 4;
    const std::size_t threads = workers();
    if (threads == 0) return rows;
    const auto share = static_cast<std::uint32_t>(rows / (kChunksAThread * threads));
    const std::uint64_t row_cost = std::max<std::uint64_t>(1, scope_.cost / count());
    const auto [at_once, gain] = SideBySideIn(questions_);
    const std::uint64_t turn = gain * Turns::kTurn / row_cost;
    if (turn < at_once) return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, turn));
    const std::uint64_t most = std::min<std::uint64_t>(std::max(kLeastShare, share), turn);
    return std::max(at_once, static_cast<std::uint32_t>(most / at_once) * at_once);
  }

  // Cuts the reply's rows from `first` on into chunks of `most` rows.
  void AddChunks(std::uint32_t first, std::uint32_t most) {
    const ServerParts& parts = scope_.call.parts;
    auto& chunks = reply_->chunks;
    const std::uint32_t rows = reply_->rows;
    chunks.reserve(chunks.size() + (rows - first + most - 1) / most);
    for (; first < rows; first += most) {
      const RowRange range = {first, std::min(most, rows - first)};
      const auto refused = static_cast<std::uint32_t>(FaultsOf(range).size());
      const CallIds ids = {scope_.call.caller.request_id, scope_.call.caller.trace_id};
      chunks.push_back({range,
                        BatchTally(tally_.kind()),
                        PartChecks(parts.checker, tally_.kind(), range.count - refused, ids),
                        {},
                        {}});
    }
  }

  // The chunks before `first` are answered.
  void LeaveChunks(std::size_t first, Parts* left) {
    left->count = reply_->chunks.size() - first;
    left->is_in_order = reply_->columns.HasLists();
    left->part = [this, first](std::size_t i, SteadyTime end) {
      Chunk& chunk = reply_->chunks[first + i];
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
    const ProcessorMeter meter(scope_.call.caller);
    const SteadyTime began = SteadyNow();
    work();
    return SteadyNow() - began;
  }

  // Answers the rows of the chunk that are not answered yet, until `end`. Returns false if some are
  // left. Thread-safe for different chunks, if they need no order.
  bool AnswerChunk(SteadyTime end, Chunk* chunk) const {
    const absl::Duration budget = TimeBudgetOf(batch_.options()) + checking_ + reply_->checking;
    const std::uint64_t most_steps = kVerticesADistance * scope_.call.parts.limits.max_row_steps;
    bool is_interrupted = false;
    const auto should_stop = [&] {
      if (reply_->stop.Within(budget + chunk->checks.took()).ShouldStop()) return true;
      if (ProcessorMeter::IsOverdrawn()) return true;
      is_interrupted = SteadyNow() >= end;
      return is_interrupted;
    };
    const Work work{next_row_ + chunk->rows.first,
                    chunk->rows.count,
                    FaultsOf(chunk->rows),
                    scope_.table,
                    should_stop,
                    chunk->tally,
                    chunk->undecided,
                    &chunk->checks,
                    scope_.warm_rows,
                    most_steps,
                    &is_interrupted};
    const std::uint32_t done =
        chunk->rows.count == reply_->rows
            ? AnswerRows(questions_, work, reply_->columns)
            : AnswerRows(questions_, work, Slice<Kind>(reply_->columns, chunk->rows));
    chunk->rows.first += done;
    chunk->rows.count -= done;
    return chunk->rows.count == 0;
  }

  void Finish() {
    Result* const result = reply_->result;
    result->set_count(reply_->rows);
    result->set_first_row(next_row_);
    result->set_total_count(count());
    if constexpr (kIsAboutScene<Kind>)
      result->set_scene_revision(RowsOf(questions_).asked.revision);
    for (const RowFault& fault : FaultsOf({0, reply_->rows}))
      FillRowError(fault, scope_.table, result->add_errors());
    absl::Duration longest, all;
    for (const Chunk& chunk : reply_->chunks) {
      for (const UndecidedRow& row : chunk.undecided) {
        auto* const entry = result->add_undecided();
        entry->set_index(row.index);
        entry->set_reason(static_cast<v1::UndecidedReason>(row.reason));
      }
      tally_.Merge(chunk.tally);
      longest = std::max(longest, chunk.checks.took());
      all += chunk.checks.took();
    }
    next_row_ += reply_->rows;
    checking_ += reply_->columns.HasLists() ? all : longest;
    computed_ -= all;
    reply_.reset();
  }

  const JobScope scope_;
  const Batch& batch_;
  Questions questions_;
  std::uint64_t row_bytes_;
  std::uint64_t max_bytes_;
  std::vector<RowFault> faults_;
  std::uint32_t next_row_ = 0;
  BatchTally tally_;
  std::optional<Reply> reply_;
  absl::Duration computed_;  // by all threads together, without checks
  absl::Duration checking_;  // not part of the rows' time
};

}  // namespace clearance::server
