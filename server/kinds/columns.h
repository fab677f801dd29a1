// SPDX-License-Identifier: Apache-2.0
//
// The columns into which rows' answers are put, of all kinds.

#pragma once

#include <google/protobuf/repeated_field.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "absl/types/span.h"
#include "clearance/v1/query.pb.h"
#include "core/math/vec3.h"
#include "core/scene/scene_query.h"

namespace clearance::server {

// No row must look like a distance of 0 that was never found.
inline constexpr double kNoDistance = std::numeric_limits<double>::quiet_NaN();

// Holds the fields of the message that lists the pairs of rows, one row after another: row i has
// the entries offsets[i] .. offsets[i + 1]. Null: not wanted, or not of this kind.
struct PairList {
  template <class T>
  using Field = google::protobuf::RepeatedField<T>*;

  Field<std::uint32_t> offsets = nullptr;  // null: nothing is listed
  Field<std::uint32_t> bodies_a = nullptr, bodies_b = nullptr;
  Field<bool> is_self = nullptr;
  Field<int> states = nullptr;  // numbers of Verdict, State or MotionState
  Field<double> distances = nullptr, lower_bounds = nullptr, upper_bounds = nullptr;
  Field<double> t_free = nullptr, t_hit = nullptr, t_leave = nullptr;
  Field<double> points_a = nullptr, points_b = nullptr, normals = nullptr;
  absl::Span<bool> truncated = {};  // 1 a row, of kinds that may leave pairs out

  bool is_wanted() const { return offsets != nullptr; }
  void EndRow() const { offsets->Add(static_cast<std::uint32_t>(states->size())); }
  // Removes the pairs that were listed since the last row ended: those of this row.
  void DropRow(std::uint32_t row) const;
};

// Holds one number a row in each column, or a vector of three. Empty or null: not wanted, or not of
// this kind.
struct Columns {
  absl::Span<int> states = {};  // always wanted; numbers of State, MotionState or Verdict
  absl::Span<std::uint32_t> bodies_a = {}, bodies_b = {};
  absl::Span<bool> is_self = {};
  absl::Span<double> distances = {}, lower_bounds = {}, upper_bounds = {};
  absl::Span<double> t_free = {}, t_hit = {}, t_leave = {};
  absl::Span<double> points_a = {}, points_b = {}, normals = {};
  absl::Span<double> relative_points_a = {}, relative_points_b = {};
  absl::Span<double> tolerances = {}, free_radii = {};
  absl::Span<std::uint32_t> iterations = {}, flags = {}, pieces_a = {}, pieces_b = {};
  // Lists, with any number of entries a row, and whether those of a row were cut short.
  v1::WitnessColumns* witnesses = nullptr;
  v1::ContactColumns* contacts = nullptr;
  v1::DepthProofColumns* depth_proofs = nullptr;
  v1::MotionProofColumns* motion_proofs = nullptr;
  absl::Span<bool> contacts_truncated = {}, proofs_truncated = {};
  PairList listed = {};

  // Returns true if a wanted column can only be written one row after another.
  bool HasLists() const {
    return witnesses != nullptr || contacts != nullptr || depth_proofs != nullptr ||
           motion_proofs != nullptr || listed.is_wanted();
  }
};

template <class T>
void PutNumber(absl::Span<T> column, std::size_t i, T value) {
  if (!column.empty()) column[i] = value;
}

inline void PutVector(absl::Span<double> column, std::size_t i, const Vec3d& v) {
  if (column.empty()) return;
  column[3 * i] = v.x;
  column[3 * i + 1] = v.y;
  column[3 * i + 2] = v.z;
}

// Puts where bodies are nearest to each other or meet.
template <class Answer>
void PutContact(const Columns& columns, std::size_t i, const Answer& answer) {
  PutNumber(columns.distances, i, answer.distance);
  PutVector(columns.points_a, i, answer.p_WA);
  PutVector(columns.points_b, i, answer.p_WB);
  PutVector(columns.normals, i, answer.n_AB);
}

// Puts the pair that a row about a scene names.
inline void PutPair(const Columns& columns, std::size_t i, const IdPair& pair) {
  PutNumber(columns.bodies_a, i, pair.a);
  PutNumber(columns.bodies_b, i, pair.b);
  PutNumber(columns.is_self, i, pair.is_self);
}

// Ends a row whose list has so many entries now, in all rows together.
template <class List>
void EndRowOf(int entries, List* list) {
  list->add_offsets(static_cast<std::uint32_t>(entries));
}

}  // namespace clearance::server
