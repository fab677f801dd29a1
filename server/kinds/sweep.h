// SPDX-License-Identifier: Apache-2.0
//
// Sweeps of configurations in a scene.

#pragma once

#include <cstdint>
#include <vector>

#include "clearance/v1/scene_query.pb.h"
#include "server/engine/answer.h"
#include "server/kinds/configurations.h"
#include "server/kinds/sweep_answers.h"

namespace clearance::server {

// Given by end_poses or by the other columns. Null data of a column: bodies do not move in that
// respect.
struct SweepQuestions {
  ConfigurationRows configurations;
  Rows<double> displacements, rotations, end_poses;
  bool ignore_initial_contact = false;
  std::uint32_t max_pairs = 0;
};

struct SweepKind : SweepAnswers {
  using Batch = v1::SweepBatch;
  using Questions = SweepQuestions;

  static std::uint64_t UnitsASearch(const Batch& batch) {
    const bool may_turn = batch.rotations_size() > 0 || batch.end_poses_size() > 0;
    return std::uint64_t{may_turn ? 16U : 2U} * (batch.max_pairs() > 0 ? 2 : 1);
  }
};

void ReadQuestions(const v1::SweepBatch& batch, ColumnReader* reader, SweepQuestions* questions);
std::vector<RowFault> FindFaults(const SweepQuestions& questions, const ShapeTable& table);
std::uint32_t AnswerRows(const SweepQuestions& questions, const Work& work, const Columns& columns);

}  // namespace clearance::server
