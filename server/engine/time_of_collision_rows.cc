// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "core/query/body_query.h"
#include "server/engine/answer.h"
#include "server/engine/row_loop.h"
#include "server/engine/row_reader.h"

namespace clearance::server {
namespace {

struct TimeOfCollisionKind {
  using Answer = TimeOfCollisionAnswer;
  static constexpr int kRefused = kMotionStateRefused;
  static constexpr std::size_t kMostAtOnce = kTimesOfCollisionAtOnce;

  const TimeOfCollisionQuestions& questions;
  const ShapeTable& table;
  const TimeOfCollisionColumns& columns;

  AskedTimeOfCollision Asked(std::uint32_t row) const {
    AskedTimeOfCollision asked{
        .pair = AskedPairOf(table, questions.pairs, row),
        .options = {.target_distance = *questions.target_distances.at(row),
                    .ignore_initial_contact = questions.ignore_initial_contact,
                    .proof = columns.proofs == nullptr ? nullptr : &columns.proofs->of_row}};
    MotionAt(questions.motions_a, asked.pair.X_WA, row, &asked.motion_a);
    MotionAt(questions.motions_b, asked.pair.X_WB, row, &asked.motion_b);
    return asked;
  }

  void Ask(absl::Span<const std::uint32_t> rows, absl::Span<WorkBudget> budgets,
           absl::Span<TimeOfCollisionAnswer> answers) const {
    absl::InlinedVector<AskedTimeOfCollision, kMostAtOnce> asked;
    absl::InlinedVector<BodyTimeOfCollisionQuestion, kMostAtOnce> asked_of_core;
    asked.reserve(rows.size());  // the code below refers to its elements
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const AskedTimeOfCollision& one = asked.emplace_back(Asked(rows[k]));
      asked_of_core.push_back({one.MovingA(), one.MovingB(), one.options});
      asked_of_core.back().options.budget = &budgets[k];
    }
    TimesOfCollision(asked_of_core, answers);
  }

  // A proof has room for one row, and motions that turn may take long: such rows are asked one at a
  // time.
  std::uint64_t Expected(std::uint32_t row) const {
    const PairRows& pairs = questions.pairs;
    const bool turns = IsTurning(questions.motions_a, PoseAt(pairs.poses_a, row), row) ||
                       IsTurning(questions.motions_b, PoseAt(pairs.poses_b, row), row);
    if (columns.proofs != nullptr || turns) return kVerticesADearRow;
    return PairOfBodies(table, pairs, row).Expected();
  }

  std::uint64_t Scanned(const TimeOfCollisionAnswer& answer, std::uint32_t row) const {
    return PairOfBodies(table, questions.pairs, row)
        .Scanned(kIterationsPerStep * answer.iterations, kVerticesAnIteration);
  }

  void Skip(std::uint32_t) const { EndProofRow(); }

  void Put(const TimeOfCollisionAnswer& answer, std::uint32_t i) const {
    PutNumber(columns.iterations, i, answer.iterations);
    const bool is_hit = answer.state == MotionState::kHit;
    if (is_hit || answer.state == MotionState::kInitiallyOverlapping) PutContact(answer, i);
    if (is_hit) PutNumber(columns.t_hit, i, answer.t_hit);
    if (answer.state != MotionState::kInitiallyOverlapping) {
      PutNumber(columns.t_free, i, answer.t_free);
      PutNumber(columns.t_leave, i, answer.t_leave);
      // A row that was not reached left no proof.
      if (columns.proofs != nullptr && answer.reason != UndecidedReason::kBudget) PutProof(i);
    }
    EndProofRow();
  }

  void PutContact(const TimeOfCollisionAnswer& answer, std::uint32_t i) const {
    PutNumber(columns.distances, i, answer.distance);
    PutVector(columns.points_a, i, answer.p_WA);
    PutVector(columns.points_b, i, answer.p_WB);
    PutVector(columns.normals, i, answer.n_AB);
    PutNumber(columns.pieces_a, i, answer.piece_a);
    PutNumber(columns.pieces_b, i, answer.piece_b);
  }

  void PutProof(std::uint32_t i) const {
    const MotionProof& proof = columns.proofs->of_row;
    for (int k = 0; k < proof.size; ++k) {
      const ProvedInterval& interval = proof.intervals[k];
      columns.proofs->t_begin.push_back(interval.t_begin);
      columns.proofs->t_end.push_back(interval.t_end);
      for (const double number : {interval.n_W.x, interval.n_W.y, interval.n_W.z})
        columns.proofs->normals.push_back(number);
      if (columns.pieces_a.empty()) continue;
      columns.proofs->pieces_a.push_back(interval.piece_a);
      columns.proofs->pieces_b.push_back(interval.piece_b);
    }
    PutNumber(columns.truncated, i, proof.is_truncated);
  }

  void EndProofRow() const {
    if (columns.proofs == nullptr) return;
    columns.proofs->offsets.push_back(static_cast<std::uint32_t>(columns.proofs->t_begin.size()));
  }
};

}  // namespace

std::uint32_t AnswerRows(const TimeOfCollisionQuestions& questions, const Work& work,
                         const TimeOfCollisionColumns& columns) {
  return ForEachRow(work, TimeOfCollisionKind{questions, work.table, columns});
}

}  // namespace clearance::server
