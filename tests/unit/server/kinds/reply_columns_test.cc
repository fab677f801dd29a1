// SPDX-License-Identifier: Apache-2.0
//
// The bounds on the size of a reply, held against messages that are as large as rows can make them.

#include "server/kinds/reply_columns.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/query/contact_manifold.h"
#include "server/convert/wire_errors.h"
#include "server/kinds/kinds.h"

namespace clearance::server {
namespace {

constexpr std::uint32_t kReplyRows = 50;
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
  for (std::uint32_t i = 0; i < kReplyRows; ++i) {
    result->add_undecided()->set_index(kLargeIndex);
    result->mutable_undecided(static_cast<int>(i))->set_reason(v1::UNDECIDED_REASON_PRECISION);
  }
}

template <class T>
void Append(int count, T number, google::protobuf::RepeatedField<T>* field) {
  for (int i = 0; i < count; ++i) field->Add(number);
}

void FillWitnesses(v1::WitnessColumns* witnesses) {
  constexpr int kPairs = kReplyRows * Witness::kCapacity;
  Append(kReplyRows, kLargeIndex, witnesses->mutable_offsets());
  Append(kPairs, kLargeIndex, witnesses->mutable_vertices_a());
  Append(kPairs, kLargeIndex, witnesses->mutable_vertices_b());
  Append(kPairs, 1.0, witnesses->mutable_weights());
}

void FillContacts(v1::ContactColumns* contacts) {
  constexpr int kPoints = kReplyRows * ContactManifold::kCapacity;
  Append(kReplyRows, kLargeIndex, contacts->mutable_offsets());
  Append(3 * kPoints, 1.0, contacts->mutable_points_a());
  Append(3 * kPoints, 1.0, contacts->mutable_points_b());
  Append(kPoints, 1.0, contacts->mutable_distances());
  Append(2 * kPoints, kLargeIndex, contacts->mutable_features_a());
  Append(2 * kPoints, kLargeIndex, contacts->mutable_features_b());
}

void FillDepthProofs(v1::DepthProofColumns* proofs) {
  constexpr int kCorners = kReplyRows * DepthProof::kVertexCapacity;
  Append(kReplyRows, kLargeIndex, proofs->mutable_offsets());
  Append(kCorners, kLargeIndex, proofs->mutable_vertices_a());
  Append(kCorners, kLargeIndex, proofs->mutable_vertices_b());
  Append(kReplyRows, kLargeIndex, proofs->mutable_facet_offsets());
  Append(3 * kReplyRows * DepthProof::kFacetCapacity, kLargeIndex, proofs->mutable_facets());
}

void FillProofs(v1::MotionProofColumns* proofs) {
  constexpr int kIntervals = kReplyRows * MotionProof::kCapacity;
  Append(kReplyRows, kLargeIndex, proofs->mutable_offsets());
  Append(kIntervals, 1.0, proofs->mutable_t_begin());
  Append(kIntervals, 1.0, proofs->mutable_t_end());
  Append(3 * kIntervals, 1.0, proofs->mutable_normals());
  Append(kIntervals, kLargeIndex, proofs->mutable_pieces_a());
  Append(kIntervals, kLargeIndex, proofs->mutable_pieces_b());
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
    const Columns columns = MakeColumns<DistanceKind>(batch, kReplyRows, &result);
    FillUp(columns.states, static_cast<int>(v1::STATE_REFUSED));
    FillUp(columns.iterations, kLargeIndex);
    FillUp(columns.flags, std::uint32_t{3});
    if (columns.witnesses != nullptr) FillWitnesses(columns.witnesses);
    if (columns.contacts != nullptr) FillContacts(columns.contacts);
    if (columns.depth_proofs != nullptr) FillDepthProofs(columns.depth_proofs);
    FillUp(columns.contacts_truncated, true);
    FillUp(columns.proofs_truncated, true);
    Describe(&result);
    EXPECT_LE(result.ByteSizeLong(),
              kMaxReplyOverhead / 2 + kReplyRows * MaxRowBytes<DistanceKind>(batch))
        << wanted;
    EXPECT_GE(2 * result.ByteSizeLong(), kReplyRows * MaxRowBytes<DistanceKind>(batch))
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
    const Columns columns = MakeColumns<TimeOfCollisionKind>(batch, kReplyRows, &result);
    FillUp(columns.states, static_cast<int>(v1::MOTION_STATE_REFUSED));
    FillUp(columns.iterations, kLargeIndex);
    if (wants_proofs) {
      FillUp(columns.proofs_truncated, true);
      FillProofs(columns.motion_proofs);
    }
    Describe(&result);
    EXPECT_LE(result.ByteSizeLong(),
              kMaxReplyOverhead / 2 + kReplyRows * MaxRowBytes<TimeOfCollisionKind>(batch));
    EXPECT_GE(2 * result.ByteSizeLong(), kReplyRows * MaxRowBytes<TimeOfCollisionKind>(batch))
        << "far too loose";
  }
}

TEST(MaxRowBytes, BoundsAnIntersectionWithAllColumns) {
  v1::IntersectionBatch batch;
  batch.mutable_detail()->set_bounds(true);
  batch.mutable_detail()->set_iterations(true);
  v1::IntersectionBatchResult result;
  const Columns columns = MakeColumns<IntersectionKind>(batch, kReplyRows, &result);
  FillUp(columns.states, static_cast<int>(v1::STATE_REFUSED));
  FillUp(columns.iterations, kLargeIndex);
  Describe(&result);
  EXPECT_LE(result.ByteSizeLong(),
            kMaxReplyOverhead / 2 + kReplyRows * MaxRowBytes<IntersectionKind>(batch));
}

TEST(RowError, KeepsWithinItsBoundWhateverTheFault) {
  ShapeTable table;
  table.Poison(7, std::string(10'000, 'x'));
  for (int fault = 0; fault <= static_cast<int>(Fault::kEndPoseAmbiguous); ++fault) {
    v1::DistanceBatchResult result;
    RowFault row{kLargeIndex, kLargeIndex, static_cast<Fault>(fault), "target_distances",
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
