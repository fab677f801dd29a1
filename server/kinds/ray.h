// SPDX-License-Identifier: Apache-2.0
//
// Rays in a scene: moving points and balls.

#pragma once

#include <cstdint>
#include <vector>

#include "clearance/v1/scene_query.pb.h"
#include "server/engine/answer.h"
#include "server/kinds/configurations.h"
#include "server/kinds/sweep_answers.h"

namespace clearance::server {

struct RayQuestions {
  std::uint32_t count = 0;
  AskedScene asked;  // its scene alone
  Rows<double> origins, displacements, radii;
  Rows<std::uint32_t> groups, masks;
  bool any = false;  // hit, not the first
  std::uint32_t max_pairs = 0;
};

struct RayKind : SweepAnswers {
  using Batch = v1::RayBatch;
  using Questions = RayQuestions;

  static std::uint64_t UnitsASearch(const Batch& batch) { return batch.max_pairs() > 0 ? 4 : 1; }
};

void ReadQuestions(const v1::RayBatch& batch, ColumnReader* reader, RayQuestions* questions);
std::vector<RowFault> FindFaults(const RayQuestions& questions, const ShapeTable& table);
std::uint32_t AnswerRows(const RayQuestions& questions, const Work& work, const Columns& columns);

}  // namespace clearance::server
