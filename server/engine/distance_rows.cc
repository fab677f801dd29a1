// SPDX-License-Identifier: Apache-2.0

#include "core/query/distance.h"
#include "server/engine/answer.h"
#include "server/engine/row_loop.h"
#include "server/engine/row_reader.h"

namespace clearance::server {
namespace {

// ROW_FLAG_NORMAL_NOT_UNIQUE of clearance.v1.
constexpr std::uint32_t kNormalNotUnique = 1;

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
    const PairOfShapes shapes(table, questions.pairs, row);
    return std::uint64_t{shapes.a.vertex_count()} + shapes.b.vertex_count();
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
      columns.witnesses->vertices_a.push_back(shapes.a.original_index(witness.vertices_a[k]));
      columns.witnesses->vertices_b.push_back(shapes.b.original_index(witness.vertices_b[k]));
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
