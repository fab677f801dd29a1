// SPDX-License-Identifier: Apache-2.0

#include "server/convert/scene_reply_columns.h"

#include <algorithm>
#include <vector>

#include "server/convert/column_bytes.h"
#include "server/engine/batch.h"

namespace clearance::server {
namespace {

constexpr std::uint64_t kPair = 2 * kIndexBytes + 1;
constexpr std::uint64_t kListedPair = kPair + kStateBytes;
constexpr std::uint64_t kListedRow = kIndexBytes + 1;

v1::ClearanceDetail DetailOf(const v1::ClearanceBatch& batch) {
  if (batch.has_detail()) return batch.detail();
  v1::ClearanceDetail detail;
  detail.set_distances(true);
  detail.set_bounds(true);
  return detail;
}

template <class Batch>
v1::SweepDetail SweepDetailOf(const Batch& batch) {
  if (batch.has_detail()) return batch.detail();
  v1::SweepDetail detail;
  detail.set_times(true);
  return detail;
}

template <class Result>
IdPairColumns PairColumnsOf(bool wanted, std::uint32_t rows, Result* result) {
  return {.bodies_a = ReplyColumn(wanted, rows, result->mutable_bodies_a()),
          .bodies_b = ReplyColumn(wanted, rows, result->mutable_bodies_b()),
          .is_self = ReplyColumn(wanted, rows, result->mutable_is_self())};
}

v1::NearestDetail DetailOf(const v1::NearestBatch& batch) {
  if (batch.has_detail()) return batch.detail();
  v1::NearestDetail detail;
  detail.set_distances(true);
  detail.set_bounds(true);
  return detail;
}

// Returns the bytes of a row that lists up to `pairs` pairs of `pair_bytes` each; 0 pairs: no list.
std::uint64_t ListBytes(std::uint64_t pairs, std::uint64_t pair_bytes) {
  return pairs == 0 ? 0 : kListedRow + pairs * pair_bytes;
}

std::uint64_t SweepPairBytes(const v1::SweepDetail& detail) {
  return kListedPair + BytesIf(detail.times(), 3 * kNumberBytes) +
         BytesIf(detail.points(), 2 * kVectorBytes) + BytesIf(detail.normals(), kVectorBytes) +
         BytesIf(detail.distances(), kNumberBytes);
}

std::uint64_t SweepRowBytes(const v1::SweepDetail& detail, std::uint64_t max_pairs) {
  return ListBytes(max_pairs, SweepPairBytes(detail)) + kStateBytes + kUndecidedRowBytes +
         BytesIf(detail.times(), 3 * kNumberBytes) + BytesIf(detail.pairs(), kPair) +
         BytesIf(detail.points(), 2 * kVectorBytes) + BytesIf(detail.normals(), kVectorBytes) +
         BytesIf(detail.distances(), kNumberBytes);
}

template <class Result>
absl::Span<bool> TruncatedColumn(std::uint32_t rows, Result* result) {
  return ReplyColumn(true, rows, result->mutable_pairs()->mutable_truncated());
}

template <class Result>
PairListColumns VerdictList(bool has_bounds, std::uint32_t rows, SceneLists* lists,
                            Result* result) {
  return {
      .list = &lists->pairs, .truncated = TruncatedColumn(rows, result), .has_bounds = has_bounds};
}

PairListColumns SweepList(const v1::SweepDetail& detail, bool has_t_leave,
                          absl::Span<bool> truncated, SceneLists* lists) {
  return {.list = &lists->pairs,
          .truncated = truncated,
          .has_distances = detail.distances(),
          .has_points = detail.points(),
          .has_normals = detail.normals(),
          .has_times = detail.times(),
          .has_t_leave = detail.times() && has_t_leave};
}

template <class T, class Field>
void Append(const std::vector<T>& values, Field* field) {
  field->Reserve(static_cast<int>(values.size()));
  for (const T value : values) field->AddAlreadyReserved(value);
}

template <class Message>
void FinishPairs(const PairList& list, Message* message) {
  Append(list.offsets, message->mutable_offsets());
  Append(list.bodies_a, message->mutable_bodies_a());
  Append(list.bodies_b, message->mutable_bodies_b());
  Append(list.is_self, message->mutable_is_self());
}

void FinishVerdicts(const PairList* list, v1::VerdictPairColumns* message) {
  FinishPairs(*list, message);
  Append(list->states, message->mutable_verdicts());
  Append(list->lower_bounds, message->mutable_lower_bounds());
  Append(list->upper_bounds, message->mutable_upper_bounds());
}

SweepColumns MakeSweepColumns(const v1::SweepDetail& detail, bool has_t_leave, std::uint32_t rows,
                              v1::SweepBatchResult* result) {
  const std::uint64_t vectors = kVectorNumbers * std::uint64_t{rows};
  SweepColumns columns;
  columns.states = ReplyColumn(true, rows, result->mutable_states());
  columns.pairs = PairColumnsOf(detail.pairs(), rows, result);
  columns.t_free = ReplyColumn(detail.times(), rows, result->mutable_t_free());
  columns.t_hit = ReplyColumn(detail.times(), rows, result->mutable_t_hit());
  columns.t_leave = ReplyColumn(detail.times() && has_t_leave, rows, result->mutable_t_leave());
  columns.distances = ReplyColumn(detail.distances(), rows, result->mutable_distances());
  columns.points_a = ReplyColumn(detail.points(), vectors, result->mutable_points_a());
  columns.points_b = ReplyColumn(detail.points(), vectors, result->mutable_points_b());
  columns.normals = ReplyColumn(detail.normals(), vectors, result->mutable_normals());
  return columns;
}

}  // namespace

std::uint64_t MaxRowBytes(const v1::CheckBatch& batch) {
  const v1::CheckDetail& detail = batch.detail();
  return kStateBytes + kUndecidedRowBytes + BytesIf(detail.pairs(), kPair) +
         BytesIf(detail.bounds(), 2 * kNumberBytes) + BytesIf(detail.free_radii(), kNumberBytes) +
         ListBytes(batch.max_pairs(), kListedPair + BytesIf(detail.bounds(), 2 * kNumberBytes));
}

std::uint64_t MaxRowBytes(const v1::ClearanceBatch& batch) {
  const v1::ClearanceDetail detail = DetailOf(batch);
  return kStateBytes + kUndecidedRowBytes + BytesIf(detail.distances(), kNumberBytes) +
         BytesIf(detail.bounds(), 2 * kNumberBytes) + BytesIf(detail.pairs(), kPair) +
         BytesIf(detail.points(), 2 * kVectorBytes) + BytesIf(detail.normals(), kVectorBytes) +
         BytesIf(detail.free_radii(), kNumberBytes);
}

std::uint64_t MaxRowBytes(const v1::NearestBatch& batch) {
  const v1::NearestDetail detail = DetailOf(batch);
  const std::uint64_t pair = kListedPair + BytesIf(detail.distances(), kNumberBytes) +
                             BytesIf(detail.bounds(), 2 * kNumberBytes) +
                             BytesIf(detail.points(), 2 * kVectorBytes) +
                             BytesIf(detail.normals(), kVectorBytes);
  return kStateBytes + kUndecidedRowBytes + ListBytes(std::max(1U, batch.max_pairs()), pair);
}

std::uint64_t MaxRowBytes(const v1::OverlapBatch& batch) {
  return kStateBytes + kUndecidedRowBytes +
         ListBytes(batch.max_pairs(), kListedPair + BytesIf(batch.bounds(), 2 * kNumberBytes));
}

std::uint64_t MaxRowBytes(const v1::MotionBatch& batch) {
  return SweepRowBytes(SweepDetailOf(batch), batch.max_pairs());
}

std::uint64_t MaxRowBytes(const v1::RayBatch& batch) {
  return SweepRowBytes(SweepDetailOf(batch), batch.max_pairs());
}

CheckColumns MakeColumns(const v1::CheckBatch& batch, std::uint32_t rows, SceneLists* lists,
                         v1::CheckBatchResult* result) {
  const v1::CheckDetail& detail = batch.detail();
  CheckColumns columns;
  columns.states = ReplyColumn(true, rows, result->mutable_verdicts());
  columns.pairs = PairColumnsOf(detail.pairs(), rows, result);
  columns.lower_bounds = ReplyColumn(detail.bounds(), rows, result->mutable_lower_bounds());
  columns.upper_bounds = ReplyColumn(detail.bounds(), rows, result->mutable_upper_bounds());
  columns.free_radii = ReplyColumn(detail.free_radii(), rows, result->mutable_free_radii());
  if (batch.max_pairs() > 0) columns.listed = VerdictList(detail.bounds(), rows, lists, result);
  return columns;
}

ClearanceColumns MakeColumns(const v1::ClearanceBatch& batch, std::uint32_t rows,
                             SceneLists* /*none*/, v1::ClearanceBatchResult* result) {
  const v1::ClearanceDetail detail = DetailOf(batch);
  const std::uint64_t vectors = kVectorNumbers * std::uint64_t{rows};
  ClearanceColumns columns;
  columns.states = ReplyColumn(true, rows, result->mutable_states());
  columns.pairs = PairColumnsOf(detail.pairs(), rows, result);
  columns.distances = ReplyColumn(detail.distances(), rows, result->mutable_distances());
  columns.lower_bounds = ReplyColumn(detail.bounds(), rows, result->mutable_lower_bounds());
  columns.upper_bounds = ReplyColumn(detail.bounds(), rows, result->mutable_upper_bounds());
  columns.points_a = ReplyColumn(detail.points(), vectors, result->mutable_points_a());
  columns.points_b = ReplyColumn(detail.points(), vectors, result->mutable_points_b());
  columns.normals = ReplyColumn(detail.normals(), vectors, result->mutable_normals());
  columns.free_radii = ReplyColumn(detail.free_radii(), rows, result->mutable_free_radii());
  return columns;
}

NearestColumns MakeColumns(const v1::NearestBatch& batch, std::uint32_t rows, SceneLists* lists,
                           v1::NearestBatchResult* result) {
  const v1::NearestDetail detail = DetailOf(batch);
  return {.states = ReplyColumn(true, rows, result->mutable_states()),
          .listed = {.list = &lists->pairs,
                     .has_bounds = detail.bounds(),
                     .has_distances = detail.distances(),
                     .has_points = detail.points(),
                     .has_normals = detail.normals()}};
}

OverlapColumns MakeColumns(const v1::OverlapBatch& batch, std::uint32_t rows, SceneLists* lists,
                           v1::OverlapBatchResult* result) {
  OverlapColumns columns;
  columns.states = ReplyColumn(true, rows, result->mutable_verdicts());
  if (batch.max_pairs() > 0) columns.listed = VerdictList(batch.bounds(), rows, lists, result);
  return columns;
}

SweepColumns MakeColumns(const v1::MotionBatch& batch, std::uint32_t rows, SceneLists* lists,
                         v1::SweepBatchResult* result) {
  const v1::SweepDetail detail = SweepDetailOf(batch);
  const bool has_t_leave = batch.ignore_initial_contact();
  SweepColumns columns = MakeSweepColumns(detail, has_t_leave, rows, result);
  if (batch.max_pairs() > 0)
    columns.listed = SweepList(detail, has_t_leave, TruncatedColumn(rows, result), lists);
  return columns;
}

SweepColumns MakeColumns(const v1::RayBatch& batch, std::uint32_t rows, SceneLists* lists,
                         v1::SweepBatchResult* result) {
  const v1::SweepDetail detail = SweepDetailOf(batch);
  SweepColumns columns = MakeSweepColumns(detail, false, rows, result);
  if (batch.max_pairs() > 0)
    columns.listed = SweepList(detail, false, TruncatedColumn(rows, result), lists);
  return columns;
}

void FinishColumns(const CheckColumns& columns, v1::CheckBatchResult* result) {
  if (columns.listed.list != nullptr) FinishVerdicts(columns.listed.list, result->mutable_pairs());
}

void FinishColumns(const OverlapColumns& columns, v1::OverlapBatchResult* result) {
  if (columns.listed.list != nullptr) FinishVerdicts(columns.listed.list, result->mutable_pairs());
}

void FinishColumns(const NearestColumns& columns, v1::NearestBatchResult* result) {
  const PairList& list = *columns.listed.list;
  v1::NearestPairColumns* const message = result->mutable_pairs();
  FinishPairs(list, message);
  Append(list.states, message->mutable_states());
  Append(list.distances, message->mutable_distances());
  Append(list.lower_bounds, message->mutable_lower_bounds());
  Append(list.upper_bounds, message->mutable_upper_bounds());
  Append(list.points_a, message->mutable_points_a());
  Append(list.points_b, message->mutable_points_b());
  Append(list.normals, message->mutable_normals());
}

void FinishColumns(const SweepColumns& columns, v1::SweepBatchResult* result) {
  if (columns.listed.list == nullptr) return;
  const PairList& list = *columns.listed.list;
  v1::SweepPairColumns* const message = result->mutable_pairs();
  FinishPairs(list, message);
  Append(list.states, message->mutable_states());
  Append(list.t_free, message->mutable_t_free());
  Append(list.t_hit, message->mutable_t_hit());
  Append(list.t_leave, message->mutable_t_leave());
  Append(list.points_a, message->mutable_points_a());
  Append(list.points_b, message->mutable_points_b());
  Append(list.normals, message->mutable_normals());
  Append(list.distances, message->mutable_distances());
}

}  // namespace clearance::server
