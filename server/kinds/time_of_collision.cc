// SPDX-License-Identifier: Apache-2.0

#include <optional>

#include "absl/container/inlined_vector.h"
#include "core/query/body_query.h"
#include "server/kinds/kinds.h"

namespace clearance::server {
namespace {

struct TimeOfCollisionRows {
  using Answer = TimeOfCollisionAnswer;
  static constexpr std::size_t kMostAtOnce = kTimesOfCollisionAtOnce;

  const TimeOfCollisionQuestions& questions;
  const ShapeTable& table;
  const Columns& columns;
  MotionProof* proof;  // of the row that is being answered; null: not wanted

  AskedTimeOfCollision Asked(std::uint32_t row) const {
    AskedTimeOfCollision asked{
        .pair = AskedPairOf(table, questions.pairs, row),
        .options = {.target_distance = *questions.target_distances.at(row),
                    .ignore_initial_contact = questions.ignore_initial_contact,
                    .proof = proof}};
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
    if (columns.motion_proofs != nullptr || turns) return kVerticesADearRow;
    return WorkOf(table, pairs, row).Expected();
  }

  std::uint64_t Scanned(const TimeOfCollisionAnswer& answer, std::uint32_t row) const {
    return WorkOf(table, questions.pairs, row)
        .Scanned(kIterationsPerStep * answer.iterations, kVerticesAnIteration);
  }

  void Skip(std::uint32_t) const { EndProofRow(); }

  void Put(const TimeOfCollisionAnswer& answer, std::uint32_t i) const {
    PutNumber(columns.iterations, i, answer.iterations);
    const bool is_hit = answer.state == MotionState::kHit;
    if (is_hit || answer.state == MotionState::kInitiallyOverlapping) {
      PutContact(columns, i, answer);
      PutNumber(columns.pieces_a, i, answer.piece_a);
      PutNumber(columns.pieces_b, i, answer.piece_b);
    }
    if (is_hit) PutNumber(columns.t_hit, i, answer.t_hit);
    if (answer.state != MotionState::kInitiallyOverlapping) {
      PutNumber(columns.t_free, i, answer.t_free);
      PutNumber(columns.t_leave, i, answer.t_leave);
      // A row that was not reached left no proof.
      if (columns.motion_proofs != nullptr && answer.reason != UndecidedReason::kBudget)
        PutProof(i);
    }
    EndProofRow();
  }

  void PutProof(std::uint32_t i) const {
    v1::MotionProofColumns& proofs = *columns.motion_proofs;
    for (int k = 0; k < proof->size; ++k) {
      const ProvedInterval& interval = proof->intervals[k];
      proofs.add_t_begin(interval.t_begin);
      proofs.add_t_end(interval.t_end);
      for (const double number : {interval.n_W.x, interval.n_W.y, interval.n_W.z})
        proofs.add_normals(number);
      if (columns.pieces_a.empty()) continue;
      proofs.add_pieces_a(interval.piece_a);
      proofs.add_pieces_b(interval.piece_b);
    }
    PutNumber(columns.proofs_truncated, i, proof->is_truncated);
  }

  void EndProofRow() const {
    if (columns.motion_proofs != nullptr)
      EndRowOf(columns.motion_proofs->t_begin_size(), columns.motion_proofs);
  }
};

struct MotionField {
  const ColumnForm& form;
  const google::protobuf::RepeatedField<double>& numbers;
};
struct MotionFields {
  MotionField displacements, rotations, pivots, end_poses;
};

MotionRows ReadMotions(const MotionFields& fields, ColumnReader* reader) {
  const auto& [displacements, rotations, pivots, end_poses] = fields;
  const bool has_motion =
      !displacements.numbers.empty() || !rotations.numbers.empty() || !pivots.numbers.empty();
  if (has_motion && !end_poses.numbers.empty()) {
    reader->Fail(RefuseArgument(
        {.reason = Reason::kFieldsConflict,
         .field = end_poses.form.name,
         .value = FormatNumber(static_cast<std::uint64_t>(end_poses.numbers.size())) + " numbers",
         .limit = "no displacements, rotations or pivots of the same body",
         .message = "A motion is given either by its end pose or by its parts."}));
  }
  const auto read = [&](const MotionField& field, const double* fallback) {
    return reader->Read(field.numbers, field.form, fallback);
  };
  return {.displacements = read(displacements, kNowhere.data()),
          .rotations = read(rotations, kNowhere.data()),
          .pivots = read(pivots, nullptr),
          .end_poses = read(end_poses, nullptr)};
}

MaybeFault CheckMoving(const RowCheck& check, const TimeOfCollisionQuestions& questions,
                       const ShapeTable& table) {
  const PairRows& pairs = questions.pairs;
  if (MaybeFault fault = CheckPair(check, pairs, table)) return fault;
  const auto start_of = [&](const Rows<std::uint32_t>& slots, const Rows<double>& poses) {
    return Start{PoseAt(poses, check.row), table.body(*slots.at(check.row))->bounding_radius()};
  };
  MaybeFault fault =
      CheckMotion(check, start_of(pairs.slots_a, pairs.poses_a), questions.motions_a);
  if (!fault)
    fault = CheckMotion(check, start_of(pairs.slots_b, pairs.poses_b), questions.motions_b);
  return fault ? fault : CheckFiniteLength(check, questions.target_distances);
}

}  // namespace

void ReadQuestions(const v1::TimeOfCollisionBatch& batch, ColumnReader* reader,
                   TimeOfCollisionQuestions* questions) {
  questions->motions_a = ReadMotions({{question::displacements_a, batch.displacements_a()},
                                      {question::rotations_a, batch.rotations_a()},
                                      {question::pivots_a, batch.pivots_a()},
                                      {question::end_poses_a, batch.end_poses_a()}},
                                     reader);
  questions->motions_b = ReadMotions({{question::displacements_b, batch.displacements_b()},
                                      {question::rotations_b, batch.rotations_b()},
                                      {question::pivots_b, batch.pivots_b()},
                                      {question::end_poses_b, batch.end_poses_b()}},
                                     reader);
  questions->target_distances =
      reader->Read(batch.target_distances(), question::target_distances, &kNoMargin);
}

std::vector<RowFault> FindFaults(const TimeOfCollisionQuestions& questions,
                                 const ShapeTable& table) {
  return FindFaultsOf(questions.pairs.count,
                      [&](const RowCheck& check) { return CheckMoving(check, questions, table); });
}

std::uint32_t AnswerRows(const TimeOfCollisionQuestions& questions, const Work& work,
                         const Columns& columns) {
  std::optional<MotionProof> proof;
  if (columns.motion_proofs != nullptr) proof.emplace();
  return RowLoop(work,
                 TimeOfCollisionRows{questions, work.table, columns, proof ? &*proof : nullptr})
      .Run();
}

}  // namespace clearance::server
