// SPDX-License-Identifier: Apache-2.0
//
// The common parts of kinds that ask about pairs of shapes.

#pragma once

#include <cstdint>
#include <optional>

#include "clearance/v1/query.pb.h"
#include "server/convert/batch_form.h"
#include "server/engine/row_check.h"
#include "server/engine/rows.h"
#include "server/engine/shape_table.h"

namespace clearance::server {

inline PairRows ReadPairs(const v1::PairColumns& pairs, ColumnReader* reader) {
  static constexpr std::uint32_t kSecondSlot = 1;
  const double* const origin = kAtOrigin.data();
  return {.count = pairs.count(),
          .slots_a = reader->Read(pairs.slots_a(), {"slots_a", 1, &kFirstSlot, "pairs."}),
          .slots_b = reader->Read(pairs.slots_b(), {"slots_b", 1, &kSecondSlot, "pairs."}),
          .poses_a = reader->Read(pairs.poses_a(), {"poses_a", kPoseNumbers, origin, "pairs."}),
          .poses_b = reader->Read(pairs.poses_b(), {"poses_b", kPoseNumbers, origin, "pairs."})};
}

// Checks the slot and the pose of one body of a row.
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

// Checks the slots and the poses of a row.
inline MaybeFault CheckPair(const RowCheck& check, const PairRows& pairs, const ShapeTable& table) {
  const std::uint32_t row = check.row;
  if (IsSurelySound(*pairs.slots_a.at(row), PoseAt(pairs.poses_a, row), table) &&
      IsSurelySound(*pairs.slots_b.at(row), PoseAt(pairs.poses_b, row), table)) {
    return std::nullopt;
  }
  MaybeFault fault = CheckBody(check, pairs.slots_a, pairs.poses_a, table);
  return fault ? fault : CheckBody(check, pairs.slots_b, pairs.poses_b, table);
}

}  // namespace clearance::server
