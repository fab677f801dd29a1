// SPDX-License-Identifier: Apache-2.0
//
// The bounds on the size of a reply, held against messages that are as large as rows can make them.

#include "server/convert/reply_columns.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/query/contact_manifold.h"
#include "server/convert/row_errors.h"

namespace clearance::server {
namespace {

constexpr std::uint32_t kRows = 50;
constexpr std::uint32_t kLargeIndex = std::numeric_limits<std::uint32_t>::max();

template <class T>
void FillUp(absl::Span<T> column, T value) {
  for (T& number : column) number = value;
}

template <class Result>
void Describe(Result* result) {
  result->set_count(kLargeIndex);
  result->set_first_row(kLargeIndex);
  result->set_total_count(kLargeIndex);
  for (std::uint32_t i = 0; i < kRows; ++i) {
    result->add_undecided()->set_index(kLargeIndex);
    result->mutable_undecided(static_cast<int>(i))->set_reason(v1::UNDECIDED_REASON_PRECISION);
  }
}

void FillContacts(ContactColumns* contacts) {
  const std::size_t points = std::size_t{kRows} * ContactManifold::kCapacity;
  contacts->offsets.assign(kRows + 1, kLargeIndex);
  contacts->points_a.assign(3 * points, 1);
  contacts->points_b.assign(3 * points, 1);
  contacts->distances.assign(points, 1);
  contacts->features_a.assign(2 * points, kLargeIndex);
  contacts->features_b.assign(2 * points, kLargeIndex);
}

void FillDepthProofs(DepthProofColumns* proofs) {
  const std::size_t corners = std::size_t{kRows} * DepthProof::kVertexCapacity;
  proofs->offsets.assign(kRows + 1, kLargeIndex);
  proofs->vertices_a.assign(corners, kLargeIndex);
  proofs->vertices_b.assign(corners, kLargeIndex);
  proofs->facet_offsets.assign(kRows + 1, kLargeIndex);
  proofs->facets.assign(3 * std::size_t{kRows} * DepthProof::kFacetCapacity, kLargeIndex);
}

TEST(MaxRowBytes, BoundsEveryCombinationOfColumnsOfADistance) {
  for (int wanted = 0; wanted < 2048; ++wanted) {
    v1::DistanceBatch batch;
    auto* const detail = batch.mutable_detail();
    detail->set_distances((wanted & 1) != 0);
    detail->set_bounds((wanted & 2) != 0);
    detail->set_points((wanted & 4) != 0);
    detail->set_normals((wanted & 8) != 0);
    detail->set_relative_points((wanted & 16) != 0);
    detail->set_witnesses((wanted & 32) != 0);
    detail->set_iterations((wanted & 64) != 0);
    detail->set_tolerances((wanted & 128) != 0);
    detail->set_pieces((wanted & 256) != 0);
    detail->set_contacts((wanted & 512) != 0);
    detail->set_depth_proofs((wanted & 1024) != 0);
    v1::DistanceBatchResult result;
    DistanceLists lists;
    const DistanceColumns columns = MakeColumns(batch, kRows, &lists, &result);
    WitnessColumns& witnesses = lists.witnesses;
    FillUp(columns.states, static_cast<int>(v1::STATE_REFUSED));
    FillUp(columns.iterations, kLargeIndex);
    FillUp(columns.flags, std::uint32_t{3});
    for (std::uint32_t i = 0; i < kRows; ++i) {
      for (int k = 0; k < Witness::kCapacity; ++k) {
        witnesses.vertices_a.push_back(kLargeIndex);
        witnesses.vertices_b.push_back(kLargeIndex);
        witnesses.weights.push_back(1);
      }
      witnesses.offsets.push_back(kLargeIndex);
    }
    if (columns.contacts != nullptr) FillContacts(columns.contacts);
    if (columns.depth_proofs != nullptr) FillDepthProofs(columns.depth_proofs);
    FillUp(columns.contacts_truncated, true);
    FillUp(columns.depth_proofs_truncated, true);
    FinishColumns(columns, &result);
    Describe(&result);
    EXPECT_LE(result.ByteSizeLong(), kMaxReplyOverhead / 2 + kRows * MaxRowBytes(batch)) << wanted;
    EXPECT_GE(2 * result.ByteSizeLong(), kRows * MaxRowBytes(batch))
        << wanted << ": the bound is far too loose";
  }
}

TEST(MaxRowBytes, BoundsATimeOfCollisionWithAllColumns) {
  v1::TimeOfCollisionBatch batch;
  batch.mutable_detail()->set_times(true);
  batch.mutable_detail()->set_points(true);
  batch.mutable_detail()->set_normals(true);
  batch.mutable_detail()->set_iterations(true);
  batch.mutable_detail()->set_distances(true);
  for (const bool wants_proofs : {false, true}) {
    batch.mutable_detail()->set_proofs(wants_proofs);
    batch.mutable_detail()->set_pieces(wants_proofs);
    batch.set_ignore_initial_contact(wants_proofs);
    v1::TimeOfCollisionBatchResult result;
    TimeOfCollisionLists lists;
    const TimeOfCollisionColumns columns = MakeColumns(batch, kRows, &lists, &result);
    FillUp(columns.states, static_cast<int>(v1::MOTION_STATE_REFUSED));
    FillUp(columns.iterations, kLargeIndex);
    if (wants_proofs) {
      FillUp(columns.truncated, true);
      lists.proofs->t_begin.assign(kRows * MotionProof::kCapacity, 1);
      lists.proofs->t_end.assign(kRows * MotionProof::kCapacity, 1);
      lists.proofs->normals.assign(kRows * MotionProof::kCapacity * 3, 1);
      lists.proofs->pieces_a.assign(kRows * MotionProof::kCapacity, kLargeIndex);
      lists.proofs->pieces_b.assign(kRows * MotionProof::kCapacity, kLargeIndex);
      lists.proofs->offsets.assign(kRows + 1, kLargeIndex);
    }
    FinishColumns(columns, &result);
    Describe(&result);
    EXPECT_LE(result.ByteSizeLong(), kMaxReplyOverhead / 2 + kRows * MaxRowBytes(batch));
    EXPECT_GE(2 * result.ByteSizeLong(), kRows * MaxRowBytes(batch)) << "far too loose";
  }
}

TEST(MaxRowBytes, BoundsAnIntersectionWithAllColumns) {
  v1::IntersectionBatch batch;
  batch.mutable_detail()->set_bounds(true);
  batch.mutable_detail()->set_iterations(true);
  v1::IntersectionBatchResult result;
  IntersectionLists lists;
  const IntersectionColumns columns = MakeColumns(batch, kRows, &lists, &result);
  FillUp(columns.states, static_cast<int>(v1::STATE_REFUSED));
  FillUp(columns.iterations, kLargeIndex);
  Describe(&result);
  EXPECT_LE(result.ByteSizeLong(), kMaxReplyOverhead / 2 + kRows * MaxRowBytes(batch));
}

TEST(RowError, KeepsWithinItsBoundWhateverTheFault) {
  ShapeTable table;
  table.Poison(7, std::string(10'000, 'x'));
  for (int fault = 0; fault <= static_cast<int>(Fault::kEndPoseAmbiguous); ++fault) {
    v1::DistanceBatchResult result;
    RowFault row{kLargeIndex, kLargeIndex, static_cast<Fault>(fault), RowColumn::kTargetDistances,
                 -1.7976931348623157e308};
    if (row.fault == Fault::kSlotPoisoned) row.value = 7;
    FillRowError(row, table, result.add_errors());
    EXPECT_LE(result.ByteSizeLong(), kMaxRowErrorBytes) << result.ShortDebugString();
    EXPECT_FALSE(result.errors(0).message().empty());
    EXPECT_FALSE(result.errors(0).limit().empty());
  }
}

}  // namespace
}  // namespace clearance::server
