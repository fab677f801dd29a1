// SPDX-License-Identifier: Apache-2.0
//
// The kinds of questions that ask about pairs of shapes.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "clearance/v1/query.pb.h"
#include "core/query/distance.h"
#include "core/query/time_of_collision.h"
#include "server/convert/batch_form.h"
#include "server/engine/row_check.h"
#include "server/engine/rows.h"
#include "server/kinds/reply_columns.h"

namespace clearance::server {

inline PairRows ReadPairs(const v1::PairColumns& pairs, ColumnReader* reader) {
  static constexpr std::uint32_t kSecondSlot = 1;
  const double* const origin = kAtOrigin.data();
  return {.count = pairs.count(),
          .slots_a = reader->Read(pairs.slots_a(), question::slots_a, &kFirstSlot, "pairs."),
          .slots_b = reader->Read(pairs.slots_b(), question::slots_b, &kSecondSlot, "pairs."),
          .poses_a = reader->Read(pairs.poses_a(), question::poses_a, origin, "pairs."),
          .poses_b = reader->Read(pairs.poses_b(), question::poses_b, origin, "pairs.")};
}

inline MaybeFault CheckBody(const RowCheck& check, const Rows<std::uint32_t>& slots,
                            const Rows<double>& poses, const ShapeTable& table) {
  const std::uint32_t slot = *slots.at(check.row);
  const RigidBody* const body = table.body(slot);
  if (body == nullptr) return check.Because(FaultOf(table.state(slot)), slots, slot);
  return CheckPlace(check, poses, body->bounding_radius());
}

// Returns true only if a body's slot and pose are sound, and then nearly always.
inline bool IsSurelySound(std::uint32_t slot, const Pose& pose, const ShapeTable& table) {
  return table.body(slot) != nullptr && IsSurelyPlace(pose, table.bounding_radius(slot));
}

inline MaybeFault CheckPair(const RowCheck& check, const PairRows& pairs, const ShapeTable& table) {
  const std::uint32_t row = check.row;
  if (IsSurelySound(*pairs.slots_a.at(row), PoseAt(pairs.poses_a, row), table) &&
      IsSurelySound(*pairs.slots_b.at(row), PoseAt(pairs.poses_b, row), table)) {
    return std::nullopt;
  }
  MaybeFault fault = CheckBody(check, pairs.slots_a, pairs.poses_a, table);
  return fault ? fault : CheckBody(check, pairs.slots_b, pairs.poses_b, table);
}

// The cost of a row, in units of a distance, unless it may be dear.
template <class Batch>
inline constexpr std::uint64_t kUnitsARow = 1;
template <>
inline constexpr std::uint64_t kUnitsARow<v1::TimeOfCollisionBatch> = 32;

template <class Batch>
bool MayBeDear(const Batch& batch) {
  return batch.exact();
}
// A rotating body may take thousands of steps a row.
inline bool MayBeDear(const v1::TimeOfCollisionBatch& batch) {
  return batch.rotations_a_size() > 0 || batch.rotations_b_size() > 0 ||
         batch.end_poses_a_size() > 0 || batch.end_poses_b_size() > 0;
}

struct DistanceQuestions {
  PairRows pairs;
  Rows<double> max_distances;
  double tolerance = 0;  // finite, >= 0
  bool exact = false;
  bool warm_start = false;
  double max_contact_separation = std::numeric_limits<double>::infinity();  // no NaN
};

void ReadQuestions(const v1::DistanceBatch& batch, ColumnReader* reader,
                   DistanceQuestions* questions);

struct IntersectionQuestions {
  PairRows pairs;
  bool exact = false;
};

struct TimeOfCollisionQuestions {
  PairRows pairs;
  MotionRows motions_a, motions_b;
  Rows<double> target_distances;
  bool ignore_initial_contact = false;
};

void ReadQuestions(const v1::TimeOfCollisionBatch& batch, ColumnReader* reader,
                   TimeOfCollisionQuestions* questions);

}  // namespace clearance::server
