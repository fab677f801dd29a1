// SPDX-License-Identifier: Apache-2.0

#include <limits>

#include "core/query/distance.h"
#include "server/engine/answer.h"
#include "server/engine/row_loop.h"
#include "server/engine/row_reader.h"

namespace clearance::server {
namespace {

// ROW_FLAG_NORMAL_NOT_UNIQUE of clearance.v1.
constexpr std::uint32_t kNormalNotUnique = 1;

// What witnesses name instead of a vertex of a shape that has none.
constexpr std::uint32_t kNoVertex = std::numeric_limits<std::uint32_t>::max();

std::uint32_t CallersIndex(const ConvexShape& shape, VertexIndex vertex) {
  return shape.is_curved() ? kNoVertex : shape.original_index(vertex);
}

struct DistanceKind {
  using Answer = DistanceAnswer;
  static constexpr int kRefused = kStateRefused;

  const DistanceQuestions& questions;
  const ShapeTable& table;
  const DistanceColumns& columns;
  std::uint32_t first;

  DistanceAnswer Ask(std::uint32_t row) const {
    const PairOfShapes shapes(table, questions.pairs, row);
    const Pose X_WA = PoseAt(questions.pairs.poses_a, row);
    const Pose X_WB = PoseAt(questions.pairs.poses_b, row);
    const DistanceOptions options{*questions.max_distances.at(row), questions.tolerance};
    return Distance({shapes.a, X_WA}, {shapes.b, X_WB}, options);
  }

  static std::uint64_t StepsOf(const DistanceAnswer& answer) { return answer.iterations; }

  std::uint64_t VerticesOf(std::uint32_t row) const {
    return PairOfShapes(table, questions.pairs, row).VerticesToScan();
  }

  void Skip(std::uint32_t) const { EndWitnessRow(); }

  void Put(const DistanceAnswer& answer, std::uint32_t i) const {
    PutNumber(columns.lower_bounds, i, answer.bracket.lower);
    PutNumber(columns.upper_bounds, i, answer.bracket.upper);
    PutNumber(columns.iterations, i, answer.iterations);
    PutNumber(columns.tolerances, i, answer.tolerance);
    if (answer.state == State::kSeparated || answer.state == State::kTouching)
      PutClosest(answer, i);
    const bool has_witness = answer.state != State::kBeyond && answer.state != State::kUndecided;
    if (columns.witnesses != nullptr && has_witness) PutWitness(answer.witness, i);
    EndWitnessRow();
  }

  void PutClosest(const DistanceAnswer& answer, std::uint32_t i) const {
    PutNumber(columns.distances, i, answer.distance);
    PutVector(columns.points_a, i, answer.p_WA);
    PutVector(columns.points_b, i, answer.p_WB);
    PutVector(columns.normals, i, answer.n_AB);
    PutVector(columns.relative_points_a, i, answer.p_AoA);
    PutVector(columns.relative_points_b, i, answer.p_AoB);
    PutNumber(columns.flags, i, answer.normal_is_unique ? 0 : kNormalNotUnique);
  }

  void PutWitness(const Witness& witness, std::uint32_t i) const {
    const PairOfShapes shapes(table, questions.pairs, first + i);
    for (int k = 0; k < witness.size; ++k) {
      columns.witnesses->vertices_a.push_back(CallersIndex(shapes.a, witness.vertices_a[k]));
      columns.witnesses->vertices_b.push_back(CallersIndex(shapes.b, witness.vertices_b[k]));
      columns.witnesses->weights.push_back(witness.weights[k]);
    }
  }

  void EndWitnessRow() const {
    if (columns.witnesses == nullptr) return;
    columns.witnesses->offsets.push_back(
        static_cast<std::uint32_t>(columns.witnesses->weights.size()));
  }
};

}  // namespace

void AnswerRows(const DistanceQuestions& questions, const Work& work,
                const DistanceColumns& columns) {
  ForEachRow(work, DistanceKind{questions, work.table, columns, work.first});
}

}  // namespace clearance::server
