// SPDX-License-Identifier: Apache-2.0

#include "server/engine/row_fault.h"

#include "server/engine/row_check.h"
#include "server/engine/row_reader.h"

namespace clearance::server {
namespace {

// The checks of one row with the shapes that it is about.
struct TableCheck : RowCheck {
  TableCheck(const RowCheck& check, const ShapeTable& shapes) : RowCheck(check), table(shapes) {}

  const ShapeTable& table;
};

// One body of the pair, with the columns that it is described by.
struct Body {
  const Rows<std::uint32_t>& slots;
  const Rows<double>& poses;
  RowColumn slot_column;
  RowColumn pose_column;
};

Body BodyA(const PairRows& pairs) {
  return {pairs.slots_a, pairs.poses_a, RowColumn::kSlotsA, RowColumn::kPosesA};
}
Body BodyB(const PairRows& pairs) {
  return {pairs.slots_b, pairs.poses_b, RowColumn::kSlotsB, RowColumn::kPosesB};
}

constexpr MotionColumns kMotionColumnsA = {RowColumn::kDisplacementsA, RowColumn::kRotationsA,
                                           RowColumn::kPivotsA, RowColumn::kEndPosesA};
constexpr MotionColumns kMotionColumnsB = {RowColumn::kDisplacementsB, RowColumn::kRotationsB,
                                           RowColumn::kPivotsB, RowColumn::kEndPosesB};

MaybeFault CheckBody(const TableCheck& check, const Body& body) {
  const std::uint32_t slot = *body.slots.at(check.row);
  const RigidBody* const rigid_body = check.table.body(slot);
  if (rigid_body == nullptr)
    return check.Because(FaultOf(check.table.state(slot)), body.slot_column, body.slots, slot);
  return CheckPlace(check, body.poses, body.pose_column, rigid_body->bounding_radius());
}

// Nearly always true if CheckBody finds nothing; then only.
bool IsSurelySound(const TableCheck& check, const Body& body) {
  const std::uint32_t slot = *body.slots.at(check.row);
  return check.table.body(slot) != nullptr &&
         IsSurelyPlace(PoseAt(body.poses, check.row), check.table.bounding_radius(slot));
}

MaybeFault CheckPair(const TableCheck& check, const PairRows& pairs) {
  if (IsSurelySound(check, BodyA(pairs)) && IsSurelySound(check, BodyB(pairs))) return std::nullopt;
  if (MaybeFault fault = CheckBody(check, BodyA(pairs))) return fault;
  return CheckBody(check, BodyB(pairs));
}

MaybeFault CheckMotion(const TableCheck& check, const Body& body, const MotionRows& motions,
                       const MotionColumns& columns) {
  if (MaybeFault fault = CheckMotionNumbers(check, motions, columns)) return fault;
  const Pose start = PoseAt(body.poses, check.row);
  const RigidBody& rigid_body = *check.table.body(*body.slots.at(check.row));
  return CheckWay(check, {start, rigid_body.bounding_radius()}, motions, columns);
}

MaybeFault CheckRow(const TableCheck& check, const DistanceQuestions& questions) {
  if (MaybeFault fault = CheckPair(check, questions.pairs)) return fault;
  return CheckLength(check, questions.max_distances, RowColumn::kMaxDistances);
}

MaybeFault CheckRow(const TableCheck& check, const IntersectionQuestions& questions) {
  return CheckPair(check, questions.pairs);
}

MaybeFault CheckRow(const TableCheck& check, const TimeOfCollisionQuestions& questions) {
  const PairRows& pairs = questions.pairs;
  if (MaybeFault fault = CheckPair(check, pairs)) return fault;
  if (MaybeFault fault = CheckMotion(check, BodyA(pairs), questions.motions_a, kMotionColumnsA))
    return fault;
  if (MaybeFault fault = CheckMotion(check, BodyB(pairs), questions.motions_b, kMotionColumnsB))
    return fault;
  return CheckFiniteLength(check, questions.target_distances, RowColumn::kTargetDistances);
}

template <class Questions>
std::vector<RowFault> FindFaultsOf(const Questions& questions, const ShapeTable& table) {
  std::vector<RowFault> faults;
  for (std::uint32_t row = 0; row < questions.pairs.count; ++row) {
    if (const MaybeFault fault = CheckRow({{row}, table}, questions)) faults.push_back(*fault);
  }
  return faults;
}

}  // namespace

std::vector<RowFault> FindFaults(const DistanceQuestions& questions, const ShapeTable& table) {
  return FindFaultsOf(questions, table);
}

std::vector<RowFault> FindFaults(const IntersectionQuestions& questions, const ShapeTable& table) {
  return FindFaultsOf(questions, table);
}

std::vector<RowFault> FindFaults(const TimeOfCollisionQuestions& questions,
                                 const ShapeTable& table) {
  return FindFaultsOf(questions, table);
}

}  // namespace clearance::server
