// SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_format.h"
#include "server/kinds/kinds.h"
#include "server/kinds/scene_row_loop.h"

namespace clearance::server {
namespace {

// Returns the motion of one body in the form that pairs have.
MotionRows MotionsOfBody(const SweepQuestions& questions, std::size_t body) {
  MotionRows rows = {
      .displacements = ColumnOfBody(questions.displacements, body, kVectorNumbers),
      .rotations = ColumnOfBody(questions.rotations, body, kVectorNumbers),
      .pivots = {},
      .end_poses = ColumnOfBody(questions.end_poses, body, kPoseNumbers),
  };
  if (rows.displacements.data == nullptr) rows.displacements.data = kNowhere.data();
  if (rows.rotations.data == nullptr) rows.rotations.data = kNowhere.data();
  return rows;
}

struct SweepQuestionRows : SceneRows<SweepQuestions> {
  // The motions stay until the next row.
  MovingSceneQuery MovingQueryOf(std::uint32_t row) const {
    const SceneQuery query = QueryOf(row);
    std::vector<Motion>& motions = tools.room.motions;
    motions.resize(query.bodies.size());
    for (std::size_t k = 0; k < motions.size(); ++k) {
      MotionAt(MotionsOfBody(questions, k), PoseOfBody(questions.configurations, k, row), row,
               &motions[k]);
    }
    return {query, motions};
  }
  SweepOptions Options() const {
    return {.ignore_initial_contact = questions.ignore_initial_contact};
  }

  SweepAnswer Ask(std::uint32_t row, std::uint32_t i) const {
    const MovingSceneQuery moving = MovingQueryOf(row);
    SweepAnswer answer = Sweep(moving, Options(), &tools.room.scratch);
    const auto sweep_all = [&](const auto& sink) {
      return SweepAll(moving, Options(), sink, &tools.room.scratch);
    };
    ListAll<PairSweep>(sweep_all, {columns.listed, i, questions.max_pairs}, *tools.budget, &answer);
    return answer;
  }

  RowSummary Put(const SweepAnswer& answer, std::uint32_t i) const {
    return PutSweep(columns, i, answer);
  }

  SceneFinding Find(std::uint32_t row, const SweepAnswer& answer, PairTurn turn) const {
    const MovingSceneQuery moving = MovingQueryOf(row);
    return {.look = FindContradiction(AskedSweep{moving, Options()}, answer, turn),
            .question = absl::StrFormat("sweep ignore_initial_contact %d",
                                        questions.ignore_initial_contact),
            .bodies = moving.query.bodies,
            .poses = moving.query.poses,
            .motions = moving.motions};
  }
};

MaybeFault CheckEachMotion(const RowCheck& check, const SweepQuestions& questions) {
  const absl::Span<const SceneBody> bodies = questions.configurations.asked.bodies;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const MotionRows motions = MotionsOfBody(questions, k);
    const Start start = {PoseOfBody(questions.configurations, k, check.row),
                         bodies[k].body->bounding_radius()};
    if (MaybeFault fault = CheckMotion(check, start, motions))
      return OfBody(fault, k, bodies.size());
  }
  return std::nullopt;
}

bool IsSameInAll(const SweepQuestions& questions) {
  return questions.configurations.poses.stride == 0 && questions.displacements.stride == 0 &&
         questions.rotations.stride == 0 && questions.end_poses.stride == 0;
}

}  // namespace

void ReadQuestions(const v1::SweepBatch& batch, ColumnReader* reader, SweepQuestions* questions) {
  const bool has_parts = !batch.displacements().empty() || !batch.rotations().empty();
  if (has_parts && !batch.end_poses().empty()) {
    reader->Fail(RefuseArgument(
        {.reason = Reason::kFieldsConflict,
         .field = "end_poses",
         .value = FormatNumber(static_cast<std::uint64_t>(batch.end_poses_size())) + " numbers",
         .limit = "no displacements or rotations",
         .message = "A motion is given either by its end poses or by its parts."}));
  }
  const std::size_t bodies = questions->configurations.asked.bodies.size();
  const auto read = [&](const auto& column, const ColumnForm& form) {
    return reader->Read<double>(column, form.OfBodies(bodies), nullptr);
  };
  questions->displacements = read(batch.displacements(), question::displacements);
  questions->rotations = read(batch.rotations(), question::rotations);
  questions->end_poses = read(batch.end_poses(), question::end_poses);
}

std::vector<RowFault> FindFaults(const SweepQuestions& questions, const ShapeTable& /*table*/) {
  SameInAll poses, motions;
  return FindFaultsOf(questions.configurations.count, [&](const RowCheck& check) {
    if (MaybeFault fault = CheckPoses(check, questions.configurations, &poses)) return fault;
    if (!IsSameInAll(questions)) return CheckEachMotion(check, questions);
    return motions.Look(check, [&] { return CheckEachMotion(check, questions); });
  });
}

std::uint32_t AnswerRows(const SweepQuestions& questions, const Work& work,
                         const Columns& columns) {
  return AnswerSceneRows<SweepQuestionRows>(questions, work, columns);
}

}  // namespace clearance::server
