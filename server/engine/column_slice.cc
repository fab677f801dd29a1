// SPDX-License-Identifier: Apache-2.0

#include "server/engine/column_slice.h"

#include <cstddef>

#include "server/engine/scene_answer.h"

namespace clearance::server {
namespace {

// A column that is not wanted stays empty.
template <class T>
absl::Span<T> Cut(absl::Span<T> column, const RowRange& rows, std::size_t numbers_a_row = 1) {
  if (column.empty()) return column;
  return column.subspan(numbers_a_row * rows.first, numbers_a_row * rows.count);
}

template <class T>
absl::Span<T> CutVectors(absl::Span<T> column, const RowRange& rows) {
  constexpr std::size_t kNumbersAVector = 3;
  return Cut(column, rows, kNumbersAVector);
}

IdPairColumns CutPairs(const IdPairColumns& columns, const RowRange& rows) {
  return {
      .bodies_a = Cut(columns.bodies_a, rows),
      .bodies_b = Cut(columns.bodies_b, rows),
      .is_self = Cut(columns.is_self, rows),
  };
}

// Rows are listed one after another, whichever slice they are of.
PairListColumns CutList(PairListColumns columns, const RowRange& rows) {
  columns.truncated = Cut(columns.truncated, rows);
  return columns;
}

}  // namespace

bool HasLists(const DistanceColumns& columns) {
  return columns.witnesses != nullptr || columns.contacts != nullptr ||
         columns.depth_proofs != nullptr;
}

bool HasLists(const IntersectionColumns& /*columns*/) { return false; }

bool HasLists(const TimeOfCollisionColumns& columns) { return columns.proofs != nullptr; }

DistanceColumns Slice(const DistanceColumns& columns, const RowRange& rows) {
  return {
      .states = Cut(columns.states, rows),
      .distances = Cut(columns.distances, rows),
      .lower_bounds = Cut(columns.lower_bounds, rows),
      .upper_bounds = Cut(columns.upper_bounds, rows),
      .points_a = CutVectors(columns.points_a, rows),
      .points_b = CutVectors(columns.points_b, rows),
      .normals = CutVectors(columns.normals, rows),
      .relative_points_a = CutVectors(columns.relative_points_a, rows),
      .relative_points_b = CutVectors(columns.relative_points_b, rows),
      .tolerances = Cut(columns.tolerances, rows),
      .iterations = Cut(columns.iterations, rows),
      .flags = Cut(columns.flags, rows),
      .pieces_a = Cut(columns.pieces_a, rows),
      .pieces_b = Cut(columns.pieces_b, rows),
      .contacts_truncated = Cut(columns.contacts_truncated, rows),
      .depth_proofs_truncated = Cut(columns.depth_proofs_truncated, rows),
      .witnesses = columns.witnesses,
      .contacts = columns.contacts,
      .depth_proofs = columns.depth_proofs,
  };
}

IntersectionColumns Slice(const IntersectionColumns& columns, const RowRange& rows) {
  return {
      .states = Cut(columns.states, rows),
      .lower_bounds = Cut(columns.lower_bounds, rows),
      .upper_bounds = Cut(columns.upper_bounds, rows),
      .iterations = Cut(columns.iterations, rows),
  };
}

TimeOfCollisionColumns Slice(const TimeOfCollisionColumns& columns, const RowRange& rows) {
  return {
      .states = Cut(columns.states, rows),
      .t_free = Cut(columns.t_free, rows),
      .t_hit = Cut(columns.t_hit, rows),
      .t_leave = Cut(columns.t_leave, rows),
      .distances = Cut(columns.distances, rows),
      .points_a = CutVectors(columns.points_a, rows),
      .points_b = CutVectors(columns.points_b, rows),
      .normals = CutVectors(columns.normals, rows),
      .iterations = Cut(columns.iterations, rows),
      .pieces_a = Cut(columns.pieces_a, rows),
      .pieces_b = Cut(columns.pieces_b, rows),
      .truncated = Cut(columns.truncated, rows),
      .proofs = columns.proofs,
  };
}

CheckColumns Slice(const CheckColumns& columns, const RowRange& rows) {
  return {
      .states = Cut(columns.states, rows),
      .pairs = CutPairs(columns.pairs, rows),
      .lower_bounds = Cut(columns.lower_bounds, rows),
      .upper_bounds = Cut(columns.upper_bounds, rows),
      .free_radii = Cut(columns.free_radii, rows),
      .listed = CutList(columns.listed, rows),
  };
}

ClearanceColumns Slice(const ClearanceColumns& columns, const RowRange& rows) {
  return {
      .states = Cut(columns.states, rows),
      .pairs = CutPairs(columns.pairs, rows),
      .distances = Cut(columns.distances, rows),
      .lower_bounds = Cut(columns.lower_bounds, rows),
      .upper_bounds = Cut(columns.upper_bounds, rows),
      .points_a = CutVectors(columns.points_a, rows),
      .points_b = CutVectors(columns.points_b, rows),
      .normals = CutVectors(columns.normals, rows),
      .free_radii = Cut(columns.free_radii, rows),
  };
}

NearestColumns Slice(const NearestColumns& columns, const RowRange& rows) {
  return {.states = Cut(columns.states, rows), .listed = CutList(columns.listed, rows)};
}

OverlapColumns Slice(const OverlapColumns& columns, const RowRange& rows) {
  return {.states = Cut(columns.states, rows), .listed = CutList(columns.listed, rows)};
}

SweepColumns Slice(const SweepColumns& columns, const RowRange& rows) {
  return {
      .states = Cut(columns.states, rows),
      .pairs = CutPairs(columns.pairs, rows),
      .t_free = Cut(columns.t_free, rows),
      .t_hit = Cut(columns.t_hit, rows),
      .t_leave = Cut(columns.t_leave, rows),
      .distances = Cut(columns.distances, rows),
      .points_a = CutVectors(columns.points_a, rows),
      .points_b = CutVectors(columns.points_b, rows),
      .normals = CutVectors(columns.normals, rows),
      .listed = CutList(columns.listed, rows),
  };
}

}  // namespace clearance::server
