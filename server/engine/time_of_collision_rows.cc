// SPDX-License-Identifier: Apache-2.0

#include "core/query/time_of_collision.h"
#include "server/engine/answer.h"
#include "server/engine/row_loop.h"
#include "server/engine/row_reader.h"

namespace clearance::server {
namespace {

// Iterations of a distance computation, typically: what one step of a time of collision costs.
constexpr std::uint64_t kIterationsPerStep = 8;

struct TimeOfCollisionKind {
  using Answer = TimeOfCollisionAnswer;
  static constexpr int kRefused = kMotionStateRefused;

  const TimeOfCollisionQuestions& questions;
  const ShapeTable& table;
  const TimeOfCollisionColumns& columns;

  TimeOfCollisionAnswer Ask(std::uint32_t row) const {
    const PairOfShapes shapes(table, questions.pairs, row);
    const Pose X_WA = PoseAt(questions.pairs.poses_a, row);
    const Pose X_WB = PoseAt(questions.pairs.poses_b, row);
    Motion motion_a;
    Motion motion_b;
    MotionAt(questions.motions_a, X_WA, row, &motion_a);
    MotionAt(questions.motions_b, X_WB, row, &motion_b);
    return TimeOfCollision({shapes.a, X_WA, motion_a}, {shapes.b, X_WB, motion_b},
                           {*questions.target_distances.at(row)});
  }

  static std::uint64_t StepsOf(const TimeOfCollisionAnswer& answer) {
    return kIterationsPerStep * answer.iterations;
  }

  // Each step has a cost of its own even where the shapes are points.
  std::uint64_t VerticesOf(std::uint32_t row) const {
    constexpr std::uint64_t kOverhead = 256;
    return kOverhead + PairOfShapes(table, questions.pairs, row).VerticesToScan();
  }

  void Skip(std::uint32_t) const {}

  void Put(const TimeOfCollisionAnswer& answer, std::uint32_t i) const {
    PutNumber(columns.iterations, i, answer.iterations);
    if (answer.state == MotionState::kInitiallyOverlapping) return;
    PutNumber(columns.t_free, i, answer.t_free);
    if (answer.state != MotionState::kHit) return;
    PutNumber(columns.t_hit, i, answer.t_hit);
    PutVector(columns.points_a, i, answer.p_WA);
    PutVector(columns.points_b, i, answer.p_WB);
    PutVector(columns.normals, i, answer.n_AB);
  }
};

}  // namespace

void AnswerRows(const TimeOfCollisionQuestions& questions, const Work& work,
                const TimeOfCollisionColumns& columns) {
  ForEachRow(work, TimeOfCollisionKind{questions, work.table, columns});
}

}  // namespace clearance::server
