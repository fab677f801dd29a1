// SPDX-License-Identifier: Apache-2.0

#include "server/kinds/kinds.h"
#include "server/kinds/scene_row_loop.h"

namespace clearance::server {
namespace {

struct OverlapRows : SceneRows<OverlapQuestions> {
  const ShapeTable& table;

  CheckAnswer Ask(std::uint32_t row, std::uint32_t i) const {
    const SceneBody shape = {.id = 0,
                             .body = table.shared_body(*questions.slots.at(row)),
                             .X_WB = PoseAt(questions.poses, row),
                             .bits = {*questions.groups.at(row), *questions.masks.at(row)},
                             .margin = *questions.margins.at(row)};
    const SceneQuery query = {.scene = *questions.asked.scene,
                              .bodies = absl::MakeConstSpan(&shape, 1),
                              .is_nameless = true,
                              .budget = tools.budget};
    CheckAnswer answer = CheckScene(query, {}, &tools.room.scratch);
    if (answer.verdict != Verdict::kFree)
      ListVerdicts(query, tools, {columns.listed, i, questions.max_pairs}, &answer);
    return answer;
  }

  RowSummary Put(const CheckAnswer& answer, std::uint32_t /*i*/) const {
    return {static_cast<int>(answer.verdict), answer.reason, answer.counters};
  }
};

}  // namespace

void ReadQuestions(const v1::OverlapBatch& batch, ColumnReader* reader,
                   OverlapQuestions* questions) {
  questions->slots = reader->Read(batch.shape_slots(), question::shape_slots, &kFirstSlot);
  questions->poses = reader->Read(batch.poses(), question::poses, kAtOrigin.data());
  questions->margins = reader->Read(batch.margins(), question::margins, &kNoMargin);
}

std::vector<RowFault> FindFaults(const OverlapQuestions& questions, const ShapeTable& table) {
  return FindFaultsOf(questions.count, [&](const RowCheck& check) {
    MaybeFault fault = CheckBody(check, questions.slots, questions.poses, table);
    return fault ? fault : CheckMargin(check, questions.margins);
  });
}

std::uint32_t AnswerRows(const OverlapQuestions& questions, const Work& work,
                         const Columns& columns) {
  return AnswerSceneRows<OverlapRows>(questions, work, columns, work.table);
}

}  // namespace clearance::server
