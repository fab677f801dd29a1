// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cmath>
#include <new>
#include <optional>

#include "core/narrow/static_vector.h"
#include "core/query/body_query.h"
#include "server/kinds/kinds.h"

namespace clearance::server {
namespace {

// ROW_FLAG_NORMAL_NOT_UNIQUE and ROW_FLAG_PIECEWISE of clearance.v1.
constexpr std::uint32_t kNormalNotUnique = 1;
constexpr std::uint32_t kPiecewise = 2;

// Stands in witnesses for a vertex of a shape without vertices.
constexpr std::uint32_t kNoVertex = std::numeric_limits<std::uint32_t>::max();

std::uint32_t CallersIndex(const ConvexShape& shape, VertexIndex vertex) {
  return shape.is_curved() ? kNoVertex : shape.original_index(vertex);
}

template <class T>
void Append(std::initializer_list<T> numbers, google::protobuf::RepeatedField<T>* column) {
  column->Add(numbers.begin(), numbers.end());
}

struct DistanceRows {
  using Answer = DistanceAnswer;
  static constexpr std::size_t kMostAtOnce = kDistanceRowsAtOnce;

  const DistanceQuestions& questions;
  const ShapeTable& table;
  const Columns& columns;
  std::uint32_t first;
  WarmRows* warm_rows;      // null: every row begins cold
  DepthProof* depth_proof;  // of the row that is being answered; null: not wanted

  DistanceOptions OptionsOf(std::uint32_t row, const Witness* start = nullptr) const {
    DistanceOptions options;
    options.max_distance = *questions.max_distances.at(row);
    options.start = start;
    options.tolerance = questions.tolerance;
    options.exact = questions.exact;
    options.depth_proof = depth_proof;
    return options;
  }

  AskedDistance Asked(std::uint32_t row) const {
    return {AskedPairOf(table, questions.pairs, row), OptionsOf(row)};
  }

  void Ask(absl::Span<const std::uint32_t> rows, absl::Span<WorkBudget> budgets,
           absl::Span<DistanceAnswer> answers) const {
    if (warm_rows != nullptr) return AskWarm(rows, budgets, answers);
    AskFrom([](std::size_t) { return nullptr; }, rows, budgets, answers);
  }

  void AskWarm(absl::Span<const std::uint32_t> rows, absl::Span<WorkBudget> budgets,
               absl::Span<DistanceAnswer> answers) const {
    std::array<Witness, kMostAtOnce> starts;
    const auto start_of = [&](std::size_t k) {
      return warm_rows->Find(KeyOf(rows[k]), &starts[k]) ? &starts[k] : nullptr;
    };
    AskFrom(start_of, rows, budgets, answers);
    for (std::size_t k = 0; k < rows.size(); ++k) warm_rows->Keep(KeyOf(rows[k]), answers[k]);
  }

  // start_of(k) returns the start of the search of rows[k], or null for a cold start.
  template <class StartOf>
  void AskFrom(const StartOf& start_of, absl::Span<const std::uint32_t> rows,
               absl::Span<WorkBudget> budgets, absl::Span<DistanceAnswer> answers) const {
    const PairRows& pairs = questions.pairs;
    StaticVector<Pose, static_cast<int>(2 * kMostAtOnce)> poses;
    StaticVector<BodyDistanceQuestion, static_cast<int>(kMostAtOnce)> asked;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::uint32_t row = rows[k];
      const Pose& X_WA = poses.Append(PoseAt(pairs.poses_a, row));
      const Pose& X_WB = poses.Append(PoseAt(pairs.poses_b, row));
      // Construct in place: a copy followed by a wider load defeats store-to-load forwarding.
      new (asked.AppendRoom()) BodyDistanceQuestion{{*table.body(*pairs.slots_a.at(row)), X_WA},
                                                    {*table.body(*pairs.slots_b.at(row)), X_WB},
                                                    OptionsOf(row, start_of(k))};
      asked[static_cast<int>(k)].options.budget = &budgets[k];
    }
    Distances(asked, answers);
  }

  WarmRows::Key KeyOf(std::uint32_t row) const {
    return {row, *questions.pairs.slots_a.at(row), *questions.pairs.slots_b.at(row)};
  }

  // A proof of depth has room for one row, and an exact decision takes long: such rows are asked
  // one at a time.
  std::uint64_t Expected(std::uint32_t row) const {
    if (columns.depth_proofs != nullptr || questions.exact) return kVerticesADearRow;
    const std::uint64_t most = MostWorkOf(table).Expected();
    return IsCheap(most) ? most : WorkOf(table, questions.pairs, row).Expected();
  }

  std::uint64_t Scanned(const DistanceAnswer& answer, std::uint32_t row) const {
    const std::uint64_t exact = questions.exact ? kVerticesAnExactRow : 0;
    const std::uint64_t most = MostWorkOf(table).Scanned(answer.iterations);
    if (IsCheap(exact + most)) return most;
    return exact + WorkOf(table, questions.pairs, row).Scanned(answer.iterations);
  }

  void Skip(std::uint32_t) const { EndRow(); }

  void Put(const DistanceAnswer& answer, std::uint32_t i) const {
    PutNumber(columns.lower_bounds, i, answer.bracket.lower);
    PutNumber(columns.upper_bounds, i, answer.bracket.upper);
    PutNumber(columns.iterations, i, answer.iterations);
    PutNumber(columns.tolerances, i, answer.tolerance);
    if (answer.state != State::kBeyond && answer.state != State::kUndecided) {
      PutContact(columns, i, answer);
      PutVector(columns.relative_points_a, i, answer.p_AoA);
      PutVector(columns.relative_points_b, i, answer.p_AoB);
      PutPieces(answer, i);
      PutLists(answer, i);
    }
    EndRow();
  }

  void PutPieces(const DistanceAnswer& answer, std::uint32_t i) const {
    PutNumber(columns.pieces_a, i, answer.piece_a);
    PutNumber(columns.pieces_b, i, answer.piece_b);
    PutNumber(
        columns.flags, i,
        (answer.normal_is_unique ? 0 : kNormalNotUnique) + (answer.is_piecewise ? kPiecewise : 0));
  }

  void PutLists(const DistanceAnswer& answer, std::uint32_t i) const {
    if (!columns.HasLists()) return;
    const PairRows& pairs = questions.pairs;
    const std::uint32_t row = first + i;
    const Piece& a = table.body(*pairs.slots_a.at(row))->pieces()[answer.piece_a];
    const Piece& b = table.body(*pairs.slots_b.at(row))->pieces()[answer.piece_b];
    if (columns.witnesses != nullptr) PutWitness(*a.shape, *b.shape, answer.witness);
    if (columns.depth_proofs != nullptr && answer.state == State::kPenetrating)
      PutDepthProof(*a.shape, *b.shape, i);
    if (columns.contacts == nullptr) return;
    const Pose X_WA = PoseAt(pairs.poses_a, row);
    const Pose X_WB = PoseAt(pairs.poses_b, row);
    PutContacts({*a.shape, X_WA, a.local}, {*b.shape, X_WB, b.local}, answer, i);
  }

  void PutWitness(const ConvexShape& a, const ConvexShape& b, const Witness& witness) const {
    for (int k = 0; k < witness.size; ++k) {
      columns.witnesses->add_vertices_a(CallersIndex(a, witness.vertices_a[k]));
      columns.witnesses->add_vertices_b(CallersIndex(b, witness.vertices_b[k]));
      columns.witnesses->add_weights(witness.weights[k]);
    }
  }

  void PutContacts(const PosedShape& a, const PosedShape& b, const DistanceAnswer& answer,
                   std::uint32_t i) const {
    const ContactManifold manifold =
        ComputeManifold(a, b, answer, {.max_separation = questions.max_contact_separation});
    v1::ContactColumns& contacts = *columns.contacts;
    for (int k = 0; k < manifold.size; ++k) {
      const ContactPoint& point = manifold.points[k];
      Append({point.p_WA.x, point.p_WA.y, point.p_WA.z}, contacts.mutable_points_a());
      Append({point.p_WB.x, point.p_WB.y, point.p_WB.z}, contacts.mutable_points_b());
      contacts.add_distances(point.distance);
      Append({point.feature_a.first, point.feature_a.second}, contacts.mutable_features_a());
      Append({point.feature_b.first, point.feature_b.second}, contacts.mutable_features_b());
    }
    columns.contacts_truncated[i] = manifold.is_truncated;
  }

  void PutDepthProof(const ConvexShape& a, const ConvexShape& b, std::uint32_t i) const {
    v1::DepthProofColumns& proofs = *columns.depth_proofs;
    for (int k = 0; k < depth_proof->vertex_count; ++k) {
      proofs.add_vertices_a(CallersIndex(a, depth_proof->vertices_a[k]));
      proofs.add_vertices_b(CallersIndex(b, depth_proof->vertices_b[k]));
    }
    for (int k = 0; k < depth_proof->facet_count; ++k) {
      const auto& facet = depth_proof->facets[k];
      proofs.mutable_facets()->Add(facet.begin(), facet.end());
    }
    columns.proofs_truncated[i] = depth_proof->is_truncated;
  }

  void EndRow() const {
    if (columns.witnesses != nullptr)
      EndRowOf(columns.witnesses->weights_size(), columns.witnesses);
    if (columns.contacts != nullptr) EndRowOf(columns.contacts->distances_size(), columns.contacts);
    if (columns.depth_proofs == nullptr) return;
    EndRowOf(columns.depth_proofs->vertices_a_size(), columns.depth_proofs);
    columns.depth_proofs->add_facet_offsets(
        static_cast<std::uint32_t>(columns.depth_proofs->facets_size()) / 3);
  }
};

}  // namespace

void ReadQuestions(const v1::DistanceBatch& batch, ColumnReader* reader,
                   DistanceQuestions* questions) {
  if (batch.has_max_contact_separation())
    questions->max_contact_separation = batch.max_contact_separation();
  if (!std::isnan(batch.max_contact_separation())) return;
  reader->Fail(RefuseArgument({.reason = Reason::kNumberOutOfRange,
                               .field = "max_contact_separation",
                               .value = FormatNumber(batch.max_contact_separation()),
                               .limit = "not NaN",
                               .message = "invalid separation: send a number"}));
}

std::vector<RowFault> FindFaults(const DistanceQuestions& questions, const ShapeTable& table) {
  return FindFaultsOf(questions.pairs.count, [&](const RowCheck& check) {
    MaybeFault fault = CheckPair(check, questions.pairs, table);
    return fault ? fault : CheckLength(check, questions.max_distances);
  });
}

std::uint32_t AnswerRows(const DistanceQuestions& questions, const Work& work,
                         const Columns& columns) {
  WarmRows* const warm_rows = questions.warm_start ? work.warm_rows : nullptr;
  std::optional<DepthProof> proof;
  if (columns.depth_proofs != nullptr) proof.emplace();
  return RowLoop(work, DistanceRows{questions, work.table, columns, work.first, warm_rows,
                                    proof ? &*proof : nullptr})
      .Run();
}

}  // namespace clearance::server
