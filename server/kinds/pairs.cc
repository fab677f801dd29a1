// SPDX-License-Identifier: Apache-2.0

#include "server/kinds/pairs.h"

#include <cstdint>

#include "server/convert/body_defaults.h"

namespace clearance::server {
namespace {

constexpr std::uint32_t kSecondSlot = 1;

}  // namespace

PairRows ReadPairs(const v1::PairColumns& pairs, ColumnReader* reader) {
  PairRows rows;
  rows.count = pairs.count();
  rows.slots_a = reader->Read(pairs.slots_a(), {"slots_a", 1, &kFirstSlot, "pairs."});
  rows.slots_b = reader->Read(pairs.slots_b(), {"slots_b", 1, &kSecondSlot, "pairs."});
  rows.poses_a =
      reader->Read(pairs.poses_a(), {"poses_a", kPoseNumbers, kAtOrigin.data(), "pairs."});
  rows.poses_b =
      reader->Read(pairs.poses_b(), {"poses_b", kPoseNumbers, kAtOrigin.data(), "pairs."});
  return rows;
}

MaybeFault CheckBody(const RowCheck& check, const Rows<std::uint32_t>& slots,
                     const Rows<double>& poses, const ShapeTable& table) {
  const std::uint32_t slot = *slots.at(check.row);
  const RigidBody* const body = table.body(slot);
  if (body == nullptr) return check.Because(FaultOf(table.state(slot)), slots, slot);
  return CheckPlace(check, poses, body->bounding_radius());
}

MaybeFault FindPairFault(const RowCheck& check, const PairRows& pairs, const ShapeTable& table) {
  if (MaybeFault fault = CheckBody(check, pairs.slots_a, pairs.poses_a, table)) return fault;
  return CheckBody(check, pairs.slots_b, pairs.poses_b, table);
}

}  // namespace clearance::server
