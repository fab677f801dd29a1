// SPDX-License-Identifier: Apache-2.0

#include "server/convert/reply_columns.h"

#include <memory>
#include <vector>

#include "core/query/contact_manifold.h"
#include "core/query/distance.h"
#include "core/query/time_of_collision.h"
#include "server/convert/column_bytes.h"
#include "server/engine/batch.h"

namespace clearance::server {
namespace {

constexpr std::uint64_t kState = kStateBytes;
constexpr std::uint64_t kNumber = kNumberBytes;
constexpr std::uint64_t kVector = kVectorBytes;
constexpr std::uint64_t kVarint = 5;
constexpr std::uint64_t kIndex = kIndexBytes;
constexpr std::uint64_t kUndecidedRow = kUndecidedRowBytes;
constexpr std::uint64_t kWitnessPair = 4 + 4 + kNumber;
constexpr std::uint64_t kWitnessRow = 4 + Witness::kCapacity * kWitnessPair;
constexpr std::uint64_t kContact = 2 * kVector + kNumber + 4 * kIndex;
constexpr std::uint64_t kContactRow = kIndex + kState + ContactManifold::kCapacity * kContact;
constexpr std::uint64_t kDepthProofRow = 2 * kIndex + kState +
                                         2 * kIndex * DepthProof::kVertexCapacity +
                                         3 * kIndex * DepthProof::kFacetCapacity;
constexpr std::uint64_t kProvedInterval = 2 * kNumber + kVector;
constexpr std::uint64_t kMotionProofRow = 4 + kState + MotionProof::kCapacity * kProvedInterval;

v1::DistanceDetail DetailOf(const v1::DistanceBatch& batch) {
  if (batch.has_detail()) return batch.detail();
  v1::DistanceDetail detail;
  detail.set_distances(true);
  detail.set_bounds(true);
  return detail;
}

v1::TimeOfCollisionDetail DetailOf(const v1::TimeOfCollisionBatch& batch) {
  if (batch.has_detail()) return batch.detail();
  v1::TimeOfCollisionDetail detail;
  detail.set_times(true);
  return detail;
}

bool HasFlags(const v1::DistanceDetail& detail) { return detail.normals() || detail.pieces(); }

template <class T>
void Append(const std::vector<T>& values, google::protobuf::RepeatedField<T>* field) {
  field->Add(values.begin(), values.end());
}

void AddContacts(std::uint32_t rows, DistanceLists* lists, DistanceColumns* columns,
                 v1::DistanceBatchResult* result) {
  columns->contacts = &lists->contacts;
  columns->contacts_truncated =
      ReplyColumn(true, rows, result->mutable_contacts()->mutable_truncated());
}

void AddDepthProofs(std::uint32_t rows, DistanceLists* lists, DistanceColumns* columns,
                    v1::DistanceBatchResult* result) {
  lists->depth_proofs = std::make_unique<DepthProofColumns>();
  columns->depth_proofs = lists->depth_proofs.get();
  columns->depth_proofs_truncated =
      ReplyColumn(true, rows, result->mutable_depth_proofs()->mutable_truncated());
}

void Finish(const WitnessColumns& columns, v1::WitnessColumns* message) {
  Append(columns.offsets, message->mutable_offsets());
  Append(columns.vertices_a, message->mutable_vertices_a());
  Append(columns.vertices_b, message->mutable_vertices_b());
  Append(columns.weights, message->mutable_weights());
}

void Finish(const ContactColumns& columns, v1::ContactColumns* message) {
  Append(columns.offsets, message->mutable_offsets());
  Append(columns.points_a, message->mutable_points_a());
  Append(columns.points_b, message->mutable_points_b());
  Append(columns.distances, message->mutable_distances());
  Append(columns.features_a, message->mutable_features_a());
  Append(columns.features_b, message->mutable_features_b());
}

void Finish(const DepthProofColumns& columns, v1::DepthProofColumns* message) {
  Append(columns.offsets, message->mutable_offsets());
  Append(columns.vertices_a, message->mutable_vertices_a());
  Append(columns.vertices_b, message->mutable_vertices_b());
  Append(columns.facet_offsets, message->mutable_facet_offsets());
  Append(columns.facets, message->mutable_facets());
}

}  // namespace

std::uint64_t MaxRowBytes(const v1::DistanceBatch& batch) {
  const v1::DistanceDetail detail = DetailOf(batch);
  return kState + kUndecidedRow + BytesIf(detail.distances(), kNumber) +
         BytesIf(detail.bounds(), 2 * kNumber) + BytesIf(detail.points(), 2 * kVector) +
         BytesIf(detail.normals(), kVector) + BytesIf(HasFlags(detail), kState) +
         BytesIf(detail.pieces(), 2 * kIndex) + BytesIf(detail.relative_points(), 2 * kVector) +
         BytesIf(detail.witnesses(), kWitnessRow) + BytesIf(detail.iterations(), kVarint) +
         BytesIf(detail.tolerances(), kNumber) + BytesIf(detail.contacts(), kContactRow) +
         BytesIf(detail.depth_proofs(), kDepthProofRow);
}

std::uint64_t MaxRowBytes(const v1::IntersectionBatch& batch) {
  return kState + kUndecidedRow + BytesIf(batch.detail().bounds(), 2 * kNumber) +
         BytesIf(batch.detail().iterations(), kVarint);
}

std::uint64_t MaxRowBytes(const v1::TimeOfCollisionBatch& batch) {
  const v1::TimeOfCollisionDetail detail = DetailOf(batch);
  return kState + kUndecidedRow + BytesIf(detail.times(), 2 * kNumber) +
         BytesIf(detail.times() && batch.ignore_initial_contact(), kNumber) +
         BytesIf(detail.distances(), kNumber) + BytesIf(detail.points(), 2 * kVector) +
         BytesIf(detail.normals(), kVector) + BytesIf(detail.iterations(), kVarint) +
         BytesIf(detail.proofs(), kMotionProofRow) + BytesIf(detail.pieces(), 2 * kIndex) +
         BytesIf(detail.proofs() && detail.pieces(), 2 * kIndex * MotionProof::kCapacity);
}

DistanceColumns MakeColumns(const v1::DistanceBatch& batch, std::uint32_t rows,
                            DistanceLists* lists, v1::DistanceBatchResult* result) {
  const v1::DistanceDetail detail = DetailOf(batch);
  const std::uint64_t numbers = rows;
  const std::uint64_t vectors = kVectorNumbers * numbers;
  DistanceColumns columns;
  columns.states = ReplyColumn(true, numbers, result->mutable_states());
  columns.distances = ReplyColumn(detail.distances(), numbers, result->mutable_distances());
  columns.lower_bounds = ReplyColumn(detail.bounds(), numbers, result->mutable_lower_bounds());
  columns.upper_bounds = ReplyColumn(detail.bounds(), numbers, result->mutable_upper_bounds());
  columns.points_a = ReplyColumn(detail.points(), vectors, result->mutable_points_a());
  columns.points_b = ReplyColumn(detail.points(), vectors, result->mutable_points_b());
  columns.normals = ReplyColumn(detail.normals(), vectors, result->mutable_normals());
  columns.flags = ReplyColumn(HasFlags(detail), numbers, result->mutable_flags());
  columns.pieces_a = ReplyColumn(detail.pieces(), numbers, result->mutable_pieces_a());
  columns.pieces_b = ReplyColumn(detail.pieces(), numbers, result->mutable_pieces_b());
  columns.relative_points_a =
      ReplyColumn(detail.relative_points(), vectors, result->mutable_relative_points_a());
  columns.relative_points_b =
      ReplyColumn(detail.relative_points(), vectors, result->mutable_relative_points_b());
  columns.iterations = ReplyColumn(detail.iterations(), numbers, result->mutable_iterations());
  columns.tolerances = ReplyColumn(detail.tolerances(), numbers, result->mutable_tolerances());
  columns.witnesses = detail.witnesses() ? &lists->witnesses : nullptr;
  if (detail.contacts()) AddContacts(rows, lists, &columns, result);
  if (detail.depth_proofs()) AddDepthProofs(rows, lists, &columns, result);
  return columns;
}

IntersectionColumns MakeColumns(const v1::IntersectionBatch& batch, std::uint32_t rows,
                                IntersectionLists* /*none*/, v1::IntersectionBatchResult* result) {
  const v1::IntersectionDetail& detail = batch.detail();
  IntersectionColumns columns;
  columns.states = ReplyColumn(true, rows, result->mutable_states());
  columns.lower_bounds = ReplyColumn(detail.bounds(), rows, result->mutable_lower_bounds());
  columns.upper_bounds = ReplyColumn(detail.bounds(), rows, result->mutable_upper_bounds());
  columns.iterations = ReplyColumn(detail.iterations(), rows, result->mutable_iterations());
  return columns;
}

TimeOfCollisionColumns MakeColumns(const v1::TimeOfCollisionBatch& batch, std::uint32_t rows,
                                   TimeOfCollisionLists* lists,
                                   v1::TimeOfCollisionBatchResult* result) {
  const v1::TimeOfCollisionDetail detail = DetailOf(batch);
  const std::uint64_t vectors = kVectorNumbers * std::uint64_t{rows};
  TimeOfCollisionColumns columns;
  columns.states = ReplyColumn(true, rows, result->mutable_states());
  columns.t_free = ReplyColumn(detail.times(), rows, result->mutable_t_free());
  columns.t_hit = ReplyColumn(detail.times(), rows, result->mutable_t_hit());
  const bool has_t_leave = detail.times() && batch.ignore_initial_contact();
  columns.t_leave = ReplyColumn(has_t_leave, rows, result->mutable_t_leave());
  columns.distances = ReplyColumn(detail.distances(), rows, result->mutable_distances());
  columns.points_a = ReplyColumn(detail.points(), vectors, result->mutable_points_a());
  columns.points_b = ReplyColumn(detail.points(), vectors, result->mutable_points_b());
  columns.normals = ReplyColumn(detail.normals(), vectors, result->mutable_normals());
  columns.iterations = ReplyColumn(detail.iterations(), rows, result->mutable_iterations());
  columns.pieces_a = ReplyColumn(detail.pieces(), rows, result->mutable_pieces_a());
  columns.pieces_b = ReplyColumn(detail.pieces(), rows, result->mutable_pieces_b());
  if (detail.proofs()) {
    lists->proofs = std::make_unique<MotionProofColumns>();
    columns.proofs = lists->proofs.get();
    columns.truncated = ReplyColumn(true, rows, result->mutable_proofs()->mutable_truncated());
  }
  return columns;
}

void FinishColumns(const DistanceColumns& columns, v1::DistanceBatchResult* result) {
  if (columns.witnesses != nullptr) Finish(*columns.witnesses, result->mutable_witnesses());
  if (columns.contacts != nullptr) Finish(*columns.contacts, result->mutable_contacts());
  if (columns.depth_proofs != nullptr)
    Finish(*columns.depth_proofs, result->mutable_depth_proofs());
}

void FinishColumns(const IntersectionColumns& /*columns*/,
                   v1::IntersectionBatchResult* /*result*/) {}

void FinishColumns(const TimeOfCollisionColumns& columns, v1::TimeOfCollisionBatchResult* result) {
  if (columns.proofs == nullptr) return;
  v1::MotionProofColumns* const proofs = result->mutable_proofs();
  Append(columns.proofs->offsets, proofs->mutable_offsets());
  Append(columns.proofs->t_begin, proofs->mutable_t_begin());
  Append(columns.proofs->t_end, proofs->mutable_t_end());
  Append(columns.proofs->normals, proofs->mutable_normals());
  Append(columns.proofs->pieces_a, proofs->mutable_pieces_a());
  Append(columns.proofs->pieces_b, proofs->mutable_pieces_b());
}

}  // namespace clearance::server
