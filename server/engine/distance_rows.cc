// SPDX-License-Identifier: Apache-2.0

#include <limits>

#include "core/query/body_query.h"
#include "server/engine/answer.h"
#include "server/engine/row_loop.h"
#include "server/engine/row_reader.h"

namespace clearance::server {
namespace {

// ROW_FLAG_NORMAL_NOT_UNIQUE and ROW_FLAG_PIECEWISE of clearance.v1.
constexpr std::uint32_t kNormalNotUnique = 1;
constexpr std::uint32_t kPiecewise = 2;

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
    const PairOfBodies bodies(table, questions.pairs, row);
    const Pose X_WA = PoseAt(questions.pairs.poses_a, row);
    const Pose X_WB = PoseAt(questions.pairs.poses_b, row);
    DistanceOptions options;
    options.max_distance = *questions.max_distances.at(row);
    options.tolerance = questions.tolerance;
    return Distance(PosedBody{bodies.a, X_WA}, PosedBody{bodies.b, X_WB}, options);
  }

  std::uint64_t Scanned(const DistanceAnswer& answer, std::uint32_t row) const {
    return PairOfBodies(table, questions.pairs, row).Scanned(answer.iterations);
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
    if (has_witness) PutPieces(answer, i);
    if (columns.witnesses != nullptr && has_witness) PutWitness(answer, i);
    EndWitnessRow();
  }

  void PutClosest(const DistanceAnswer& answer, std::uint32_t i) const {
    PutNumber(columns.distances, i, answer.distance);
    PutVector(columns.points_a, i, answer.p_WA);
    PutVector(columns.points_b, i, answer.p_WB);
    PutVector(columns.normals, i, answer.n_AB);
    PutVector(columns.relative_points_a, i, answer.p_AoA);
    PutVector(columns.relative_points_b, i, answer.p_AoB);
  }

  void PutPieces(const DistanceAnswer& answer, std::uint32_t i) const {
    PutNumber(columns.pieces_a, i, answer.piece_a);
    PutNumber(columns.pieces_b, i, answer.piece_b);
    PutNumber(
        columns.flags, i,
        (answer.normal_is_unique ? 0 : kNormalNotUnique) + (answer.is_piecewise ? kPiecewise : 0));
  }

  void PutWitness(const DistanceAnswer& answer, std::uint32_t i) const {
    const PairOfBodies bodies(table, questions.pairs, first + i);
    const ConvexShape& a = *bodies.a.pieces()[answer.piece_a].shape;
    const ConvexShape& b = *bodies.b.pieces()[answer.piece_b].shape;
    for (int k = 0; k < answer.witness.size; ++k) {
      columns.witnesses->vertices_a.push_back(CallersIndex(a, answer.witness.vertices_a[k]));
      columns.witnesses->vertices_b.push_back(CallersIndex(b, answer.witness.vertices_b[k]));
      columns.witnesses->weights.push_back(answer.witness.weights[k]);
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
