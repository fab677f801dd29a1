// SPDX-License-Identifier: Apache-2.0
//
// Motions of configurations in a scene.

#ifndef CLEARANCE_SERVER_KINDS_MOTION_H_
#define CLEARANCE_SERVER_KINDS_MOTION_H_

#include <cstdint>
#include <vector>

#include "clearance/v1/scene_query.pb.h"
#include "server/engine/answer.h"
#include "server/kinds/configurations.h"
#include "server/kinds/session_field.h"
#include "server/kinds/sweep.h"

namespace clearance::server {

// Given by end_poses or by the other columns. Null data of a column: bodies do not move in that
// respect.
struct MotionQuestions {
  ConfigurationRows configurations;
  Rows<double> displacements, rotations, end_poses;
  bool ignore_initial_contact = false;
  std::uint32_t max_pairs = 0;
};

struct MotionKind : SweepAnswers {
  using Batch = v1::MotionBatch;
  using Questions = MotionQuestions;

  static constexpr QueryKind kKind = QueryKind::kMotion;
  static constexpr SessionField kInSession = {"motion", v1::SessionRequest::kMotion,
                                              &v1::SessionRequest::motion,
                                              &v1::SessionResponse::mutable_motion};
  static std::uint64_t UnitsASearch(const Batch& batch) {
    const bool may_turn = batch.rotations_size() > 0 || batch.end_poses_size() > 0;
    return (may_turn ? 16 : 2) * (batch.max_pairs() > 0 ? 2 : 1);
  }
};

void ReadQuestions(const v1::MotionBatch& batch, ColumnReader* reader, MotionQuestions* questions);
std::vector<RowFault> FindFaults(const MotionQuestions& questions, const ShapeTable& table);
std::uint32_t AnswerRows(const MotionQuestions& questions, const Work& work,
                         const SweepColumns& columns);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_KINDS_MOTION_H_
