// SPDX-License-Identifier: Apache-2.0
#include "internal/scene_query_convert.h"

#include <cstddef>

#include "internal/batch_convert.h"
#include "internal/blank_rows.h"
#include "internal/scene_convert.h"

namespace clearance::client {
namespace {

constexpr std::uint64_t kPoseNumbers = 7;
constexpr std::uint64_t kVectorNumbers = 3;

ColumnSlicer SlicerOf(const Configurations& configurations, RowRange rows) {
  return {configurations.count, rows};
}

// Without the number of bodies the width of a row is unknown: then all rows are copied.
class BodySlicer {
 public:
  BodySlicer(const Configurations& configurations, RowRange rows)
      : body_count_(configurations.body_count), slicer_(SlicerOf(configurations, rows)) {}

  void operator()(const std::vector<double>& column, std::uint64_t numbers_a_body,
                  google::protobuf::RepeatedField<double>* field) const {
    if (body_count_ == 0) return Assign(column, field);
    slicer_(column, numbers_a_body * body_count_, field);
  }

 private:
  const std::uint64_t body_count_;
  const ColumnSlicer slicer_;
};

void ToProto(const Configurations& configurations, RowRange rows, v1::ConfigurationColumns* proto) {
  proto->set_count(rows.count);
  if (configurations.scene_slot) proto->set_scene_slot(*configurations.scene_slot);
  proto->set_pair_scope(static_cast<v1::PairScope>(configurations.pair_scope));
  BodySlicer(configurations, rows)(configurations.poses, kPoseNumbers, proto->mutable_poses());
}

void ToProto(const SweepDetail& detail, v1::SweepDetail* proto) {
  proto->set_times(detail.times);
  proto->set_pairs(detail.pairs);
  proto->set_points(detail.points);
  proto->set_normals(detail.normals);
  proto->set_distances(detail.distances);
}

template <class Part>
void AppendIds(const Part& part, IdPairs* ids) {
  Append(part.bodies_a(), &ids->bodies_a);
  Append(part.bodies_b(), &ids->bodies_b);
  Append(part.is_self(), &ids->is_self);
}

void AppendPairs(const v1::VerdictPairColumns& part, VerdictPairs* pairs) {
  AppendOffsets(part.offsets(), pairs->verdicts.size(), &pairs->offsets);
  AppendIds(part, &pairs->ids);
  AppendEnums(part.verdicts(), Verdict::kRefused, &pairs->verdicts);
  Append(part.lower_bounds(), &pairs->lower_bounds);
  Append(part.upper_bounds(), &pairs->upper_bounds);
  Append(part.truncated(), &pairs->truncated);
}

void AppendPairs(const v1::NearestPairColumns& part, NearestPairs* pairs) {
  const std::size_t first = pairs->states.size();
  AppendOffsets(part.offsets(), pairs->states.size(), &pairs->offsets);
  AppendIds(part, &pairs->ids);
  AppendEnums(part.states(), State::kRefused, &pairs->states);
  Append(part.distances(), &pairs->distances);
  Append(part.lower_bounds(), &pairs->lower_bounds);
  Append(part.upper_bounds(), &pairs->upper_bounds);
  Append(part.points_a(), &pairs->points_a);
  Append(part.points_b(), &pairs->points_b);
  Append(part.normals(), &pairs->normals);
  BlankDistances(first, pairs);
}

// Appends the contacts of rows, or of the pairs that they list.
template <class Part, class Columns>
void AppendContacts(const Part& part, Columns* columns) {
  const std::size_t first = columns->states.size();
  AppendEnums(part.states(), MotionState::kRefused, &columns->states);
  Append(part.t_free(), &columns->t_free);
  Append(part.t_hit(), &columns->t_hit);
  Append(part.t_leave(), &columns->t_leave);
  Append(part.distances(), &columns->distances);
  Append(part.points_a(), &columns->points_a);
  Append(part.points_b(), &columns->points_b);
  Append(part.normals(), &columns->normals);
  BlankContacts(first, columns);
}

template <class Part, class Result>
void AppendSceneRows(const Part& part, std::uint32_t offset, Result* result) {
  AppendRows(part, offset, result);
  result->scene_revision = part.scene_revision();
}

}  // namespace

void ToProto(const OpenScene& open, v1::OpenScene* proto) {
  proto->set_scene_slot(open.scene_slot);
  proto->set_name(open.name);
  proto->set_revision(open.revision);
  proto->set_min_revision(open.min_revision);
}

void ToProto(const ChangeBodies& change, v1::ChangeBodies* proto) {
  proto->set_reset(change.reset);
  ToProto(change.change, proto->mutable_change());
  Assign(change.same_as_scene, proto->mutable_same_as_scene());
}

void ToProto(const CheckBatch& batch, RowRange rows, v1::CheckBatch* proto) {
  ToProto(batch.configurations, rows, proto->mutable_configurations());
  ToProto(batch.options, proto->mutable_options());
  v1::CheckDetail* const detail = proto->mutable_detail();
  detail->set_pairs(batch.detail.pairs);
  detail->set_bounds(batch.detail.bounds);
  detail->set_free_radii(batch.detail.free_radii);
  proto->set_max_pairs(batch.max_pairs);
}

void ToProto(const MinimumDistanceBatch& batch, RowRange rows, v1::MinimumDistanceBatch* proto) {
  ToProto(batch.configurations, rows, proto->mutable_configurations());
  ToProto(batch.options, proto->mutable_options());
  SlicerOf(batch.configurations, rows)(batch.max_distances, 1, proto->mutable_max_distances());
  proto->set_tolerance(batch.tolerance);
  proto->set_exact(batch.exact);
  v1::MinimumDistanceDetail* const detail = proto->mutable_detail();
  detail->set_distances(batch.detail.distances);
  detail->set_bounds(batch.detail.bounds);
  detail->set_pairs(batch.detail.pairs);
  detail->set_points(batch.detail.points);
  detail->set_normals(batch.detail.normals);
  detail->set_free_radii(batch.detail.free_radii);
}

void ToProto(const NearestBatch& batch, RowRange rows, v1::NearestBatch* proto) {
  ToProto(batch.configurations, rows, proto->mutable_configurations());
  ToProto(batch.options, proto->mutable_options());
  proto->set_max_pairs(batch.max_pairs);
  SlicerOf(batch.configurations, rows)(batch.max_distances, 1, proto->mutable_max_distances());
  proto->set_tolerance(batch.tolerance);
  proto->set_exact(batch.exact);
  v1::NearestDetail* const detail = proto->mutable_detail();
  detail->set_distances(batch.detail.distances);
  detail->set_bounds(batch.detail.bounds);
  detail->set_points(batch.detail.points);
  detail->set_normals(batch.detail.normals);
}

void ToProto(const OverlapBatch& batch, RowRange rows, v1::OverlapBatch* proto) {
  const ColumnSlicer slice = {batch.count, rows};
  proto->set_count(rows.count);
  proto->set_scene_slot(batch.scene_slot);
  ToProto(batch.options, proto->mutable_options());
  slice(batch.shape_slots, 1, proto->mutable_shape_slots());
  slice(batch.poses, kPoseNumbers, proto->mutable_poses());
  slice(batch.margins, 1, proto->mutable_margins());
  slice(batch.groups, 1, proto->mutable_groups());
  slice(batch.masks, 1, proto->mutable_masks());
  proto->set_max_pairs(batch.max_pairs);
  proto->set_bounds(batch.bounds);
}

void ToProto(const SweepBatch& batch, RowRange rows, v1::SweepBatch* proto) {
  const Configurations& configurations = batch.configurations;
  ToProto(configurations, rows, proto->mutable_configurations());
  ToProto(batch.options, proto->mutable_options());
  const BodySlicer slice(configurations, rows);
  slice(batch.displacements, kVectorNumbers, proto->mutable_displacements());
  slice(batch.rotations, kVectorNumbers, proto->mutable_rotations());
  slice(batch.end_poses, kPoseNumbers, proto->mutable_end_poses());
  proto->set_ignore_initial_contact(batch.ignore_initial_contact);
  ToProto(batch.detail, proto->mutable_detail());
  proto->set_max_pairs(batch.max_pairs);
}

void ToProto(const RayBatch& batch, RowRange rows, v1::RayBatch* proto) {
  const ColumnSlicer slice = {batch.count, rows};
  proto->set_count(rows.count);
  proto->set_scene_slot(batch.scene_slot);
  ToProto(batch.options, proto->mutable_options());
  slice(batch.origins, kVectorNumbers, proto->mutable_origins());
  slice(batch.displacements, kVectorNumbers, proto->mutable_displacements());
  slice(batch.radii, 1, proto->mutable_radii());
  slice(batch.groups, 1, proto->mutable_groups());
  slice(batch.masks, 1, proto->mutable_masks());
  proto->set_any(batch.any);
  ToProto(batch.detail, proto->mutable_detail());
  proto->set_max_pairs(batch.max_pairs);
}

void AppendFromProto(const v1::CheckBatchResult& part, std::uint32_t offset, CheckResult* result) {
  AppendSceneRows(part, offset, result);
  AppendEnums(part.verdicts(), Verdict::kRefused, &result->verdicts);
  AppendIds(part, &result->first_pairs);
  Append(part.lower_bounds(), &result->lower_bounds);
  Append(part.upper_bounds(), &result->upper_bounds);
  Append(part.free_radii(), &result->free_radii);
  if (part.has_pairs()) AppendPairs(part.pairs(), &result->pairs);
}

void AppendFromProto(const v1::MinimumDistanceBatchResult& part, std::uint32_t offset,
                     MinimumDistanceResult* result) {
  const std::size_t first = result->states.size();
  AppendSceneRows(part, offset, result);
  AppendEnums(part.states(), State::kRefused, &result->states);
  Append(part.distances(), &result->distances);
  Append(part.lower_bounds(), &result->lower_bounds);
  Append(part.upper_bounds(), &result->upper_bounds);
  AppendIds(part, &result->pairs);
  Append(part.points_a(), &result->points_a);
  Append(part.points_b(), &result->points_b);
  Append(part.normals(), &result->normals);
  Append(part.free_radii(), &result->free_radii);
  BlankDistances(first, result);
}

void AppendFromProto(const v1::NearestBatchResult& part, std::uint32_t offset,
                     NearestResult* result) {
  AppendSceneRows(part, offset, result);
  AppendEnums(part.states(), State::kRefused, &result->states);
  AppendPairs(part.pairs(), &result->pairs);
}

void AppendFromProto(const v1::OverlapBatchResult& part, std::uint32_t offset,
                     OverlapResult* result) {
  AppendSceneRows(part, offset, result);
  AppendEnums(part.verdicts(), Verdict::kRefused, &result->verdicts);
  if (part.has_pairs()) AppendPairs(part.pairs(), &result->pairs);
}

void AppendFromProto(const v1::SweepBatchResult& part, std::uint32_t offset, SweepResult* result) {
  AppendSceneRows(part, offset, result);
  AppendContacts(part, result);
  AppendIds(part, &result->pairs);
  if (!part.has_pairs()) return;
  const v1::SweepPairColumns& pairs = part.pairs();
  AppendOffsets(pairs.offsets(), result->hits.states.size(), &result->hits.offsets);
  AppendIds(pairs, &result->hits.ids);
  AppendContacts(pairs, &result->hits);
  Append(pairs.truncated(), &result->hits.truncated);
}

}  // namespace clearance::client
