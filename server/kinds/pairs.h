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

PairRows ReadPairs(const v1::PairColumns& pairs, ColumnReader* reader);

// Returns true only if a body's slot and pose are sound, and then nearly always.
inline bool IsSurelySound(std::uint32_t slot, const Pose& pose, const ShapeTable& table) {
  return table.body(slot) != nullptr && IsSurelyPlace(pose, table.bounding_radius(slot));
}

// Checks the slot and the pose of one body of a row.
MaybeFault CheckBody(const RowCheck& check, const Rows<std::uint32_t>& slots,
                     const Rows<double>& poses, const ShapeTable& table);

// Returns the fault, if any, of a row whose bodies are not both surely sound.
MaybeFault FindPairFault(const RowCheck& check, const PairRows& pairs, const ShapeTable& table);

// Checks the slots and the poses of a row.
inline MaybeFault CheckPair(const RowCheck& check, const PairRows& pairs, const ShapeTable& table) {
  const std::uint32_t row = check.row;
  if (IsSurelySound(*pairs.slots_a.at(row), PoseAt(pairs.poses_a, row), table) &&
      IsSurelySound(*pairs.slots_b.at(row), PoseAt(pairs.poses_b, row), table)) {
    return std::nullopt;
  }
  return FindPairFault(check, pairs, table);
}

}  // namespace clearance::server
