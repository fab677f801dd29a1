// SPDX-License-Identifier: Apache-2.0
#include "internal/query_convert.h"

#include <algorithm>

#include "internal/batch_convert.h"
#include "internal/blank_rows.h"

namespace clearance::client {
namespace {

void SetDuration(absl::Duration duration, google::protobuf::Duration* proto) {
  constexpr std::int64_t kMaxSeconds = 315'576'000'000;  // the limit of google.protobuf.Duration
  duration = std::clamp(duration, -absl::Seconds(kMaxSeconds), absl::Seconds(kMaxSeconds));
  proto->set_seconds(absl::IDivDuration(duration, absl::Seconds(1), &duration));
  proto->set_nanos(static_cast<std::int32_t>(absl::ToInt64Nanoseconds(duration)));
}

template <class Batch, class Proto>
ColumnSlicer StartBatch(const Batch& batch, RowRange rows, Proto* proto) {
  const ColumnSlicer slice{batch.pairs.count, rows};
  v1::PairColumns* pairs = proto->mutable_pairs();
  pairs->set_count(rows.count);
  slice(batch.pairs.slots_a, 1, pairs->mutable_slots_a());
  slice(batch.pairs.slots_b, 1, pairs->mutable_slots_b());
  slice(batch.pairs.poses_a, 7, pairs->mutable_poses_a());
  slice(batch.pairs.poses_b, 7, pairs->mutable_poses_b());
  ToProto(batch.options, proto->mutable_options());
  return slice;
}

// Appends the common columns of every kind of result about pairs.
template <class Part, class Result>
void AppendCommon(const Part& part, std::uint32_t offset, Result* result) {
  AppendRows(part, offset, result);
  Append(part.iterations(), &result->iterations);
}

void AppendProofs(const v1::MotionProofColumns& part, MotionProofs* proofs) {
  AppendOffsets(part.offsets(), proofs->t_begin.size(), &proofs->offsets);
  Append(part.t_begin(), &proofs->t_begin);
  Append(part.t_end(), &proofs->t_end);
  Append(part.normals(), &proofs->normals);
  Append(part.truncated(), &proofs->truncated);
  Append(part.pieces_a(), &proofs->pieces_a);
  Append(part.pieces_b(), &proofs->pieces_b);
}

void AppendContacts(const v1::ContactColumns& part, Contacts* contacts) {
  AppendOffsets(part.offsets(), contacts->distances.size(), &contacts->offsets);
  Append(part.points_a(), &contacts->points_a);
  Append(part.points_b(), &contacts->points_b);
  Append(part.distances(), &contacts->distances);
  Append(part.features_a(), &contacts->features_a);
  Append(part.features_b(), &contacts->features_b);
  Append(part.truncated(), &contacts->truncated);
}

void AppendDepthProofs(const v1::DepthProofColumns& part, DepthProofs* proofs) {
  AppendOffsets(part.offsets(), proofs->vertices_a.size(), &proofs->offsets);
  AppendOffsets(part.facet_offsets(), proofs->facets.size() / 3, &proofs->facet_offsets);
  Append(part.vertices_a(), &proofs->vertices_a);
  Append(part.vertices_b(), &proofs->vertices_b);
  Append(part.facets(), &proofs->facets);
  Append(part.truncated(), &proofs->truncated);
}

void AppendWitnesses(const v1::WitnessColumns& part, Witnesses* witnesses) {
  AppendOffsets(part.offsets(), witnesses->weights.size(), &witnesses->offsets);
  Append(part.vertices_a(), &witnesses->vertices_a);
  Append(part.vertices_b(), &witnesses->vertices_b);
  Append(part.weights(), &witnesses->weights);
}

}  // namespace

void ToProto(const BatchOptions& options, v1::BatchOptions* proto) {
  proto->Clear();
  proto->set_max_reply_bytes(options.max_reply_bytes);
  if (options.time_budget != absl::InfiniteDuration())
    SetDuration(options.time_budget, proto->mutable_time_budget());
}

void ToProto(const DistanceBatch& batch, RowRange rows, v1::DistanceBatch* proto) {
  const ColumnSlicer slice = StartBatch(batch, rows, proto);
  slice(batch.max_distances, 1, proto->mutable_max_distances());
  proto->set_tolerance(batch.tolerance);
  proto->set_exact(batch.exact);
  proto->set_warm_start(batch.warm_start);
  proto->clear_max_contact_separation();
  if (batch.max_contact_separation)
    proto->set_max_contact_separation(*batch.max_contact_separation);
  v1::DistanceDetail* detail = proto->mutable_detail();
  detail->set_distances(batch.detail.distances);
  detail->set_bounds(batch.detail.bounds);
  detail->set_points(batch.detail.points);
  detail->set_normals(batch.detail.normals);
  detail->set_relative_points(batch.detail.relative_points);
  detail->set_witnesses(batch.detail.witnesses);
  detail->set_iterations(batch.detail.iterations);
  detail->set_tolerances(batch.detail.tolerances);
  detail->set_pieces(batch.detail.pieces);
  detail->set_contacts(batch.detail.contacts);
  detail->set_depth_proofs(batch.detail.depth_proofs);
}

void ToProto(const IntersectionBatch& batch, RowRange rows, v1::IntersectionBatch* proto) {
  StartBatch(batch, rows, proto);
  proto->set_exact(batch.exact);
  proto->mutable_detail()->set_bounds(batch.detail.bounds);
  proto->mutable_detail()->set_iterations(batch.detail.iterations);
}

void ToProto(const TimeOfCollisionBatch& batch, RowRange rows, v1::TimeOfCollisionBatch* proto) {
  const ColumnSlicer slice = StartBatch(batch, rows, proto);
  slice(batch.displacements_a, 3, proto->mutable_displacements_a());
  slice(batch.displacements_b, 3, proto->mutable_displacements_b());
  slice(batch.rotations_a, 3, proto->mutable_rotations_a());
  slice(batch.rotations_b, 3, proto->mutable_rotations_b());
  slice(batch.pivots_a, 3, proto->mutable_pivots_a());
  slice(batch.pivots_b, 3, proto->mutable_pivots_b());
  slice(batch.end_poses_a, 7, proto->mutable_end_poses_a());
  slice(batch.end_poses_b, 7, proto->mutable_end_poses_b());
  slice(batch.target_distances, 1, proto->mutable_target_distances());
  proto->set_ignore_initial_contact(batch.ignore_initial_contact);
  v1::TimeOfCollisionDetail* detail = proto->mutable_detail();
  detail->set_times(batch.detail.times);
  detail->set_points(batch.detail.points);
  detail->set_normals(batch.detail.normals);
  detail->set_iterations(batch.detail.iterations);
  detail->set_distances(batch.detail.distances);
  detail->set_proofs(batch.detail.proofs);
  detail->set_pieces(batch.detail.pieces);
}

PairDistance FromProto(const v1::PairDistanceResponse& proto) {
  const auto vector = [](bool has, const v1::Vector3& v) {
    return has ? std::optional<Vec3>({v.x(), v.y(), v.z()}) : std::nullopt;
  };
  PairDistance pair = {.state = static_cast<State>(proto.state()),
                       .intersects = proto.intersects(),
                       .distance = std::nullopt,
                       .lower_bound = proto.lower_bound(),
                       .upper_bound = proto.upper_bound(),
                       .point_a = vector(proto.has_point_a(), proto.point_a()),
                       .point_b = vector(proto.has_point_b(), proto.point_b()),
                       .normal = vector(proto.has_normal(), proto.normal()),
                       .undecided_reason = static_cast<UndecidedReason>(proto.undecided_reason()),
                       .revision = proto.revision()};
  if (proto.has_distance()) pair.distance = proto.distance();
  return pair;
}

void AppendFromProto(const v1::DistanceBatchResult& part, std::uint32_t offset,
                     DistanceResult* result) {
  const std::size_t first = result->states.size();
  AppendCommon(part, offset, result);
  AppendEnums(part.states(), State::kRefused, &result->states);
  Append(part.distances(), &result->distances);
  Append(part.lower_bounds(), &result->lower_bounds);
  Append(part.upper_bounds(), &result->upper_bounds);
  Append(part.points_a(), &result->points_a);
  Append(part.points_b(), &result->points_b);
  Append(part.normals(), &result->normals);
  Append(part.relative_points_a(), &result->relative_points_a);
  Append(part.relative_points_b(), &result->relative_points_b);
  if (part.has_witnesses()) AppendWitnesses(part.witnesses(), &result->witnesses);
  if (part.has_contacts()) AppendContacts(part.contacts(), &result->contacts);
  if (part.has_depth_proofs()) AppendDepthProofs(part.depth_proofs(), &result->depth_proofs);
  Append(part.tolerances(), &result->tolerances);
  Append(part.flags(), &result->flags);
  Append(part.pieces_a(), &result->pieces_a);
  Append(part.pieces_b(), &result->pieces_b);
  BlankDistances(first, result);
  BlankRows(result->states, first, HasDistance,
            {{&result->relative_points_a, 3}, {&result->relative_points_b, 3}});
}

void AppendFromProto(const v1::IntersectionBatchResult& part, std::uint32_t offset,
                     IntersectionResult* result) {
  AppendCommon(part, offset, result);
  AppendEnums(part.states(), State::kRefused, &result->states);
  Append(part.lower_bounds(), &result->lower_bounds);
  Append(part.upper_bounds(), &result->upper_bounds);
}

void AppendFromProto(const v1::TimeOfCollisionBatchResult& part, std::uint32_t offset,
                     TimeOfCollisionResult* result) {
  const std::size_t first = result->states.size();
  AppendCommon(part, offset, result);
  AppendEnums(part.states(), MotionState::kRefused, &result->states);
  Append(part.t_free(), &result->t_free);
  Append(part.t_hit(), &result->t_hit);
  Append(part.t_leave(), &result->t_leave);
  Append(part.distances(), &result->distances);
  Append(part.points_a(), &result->points_a);
  Append(part.points_b(), &result->points_b);
  Append(part.normals(), &result->normals);
  if (part.has_proofs()) AppendProofs(part.proofs(), &result->proofs);
  Append(part.pieces_a(), &result->pieces_a);
  Append(part.pieces_b(), &result->pieces_b);
  BlankContacts(first, result);
}

}  // namespace clearance::client
