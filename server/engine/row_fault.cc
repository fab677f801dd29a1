// SPDX-License-Identifier: Apache-2.0

#include "server/engine/row_fault.h"

#include <cmath>
#include <cstddef>
#include <optional>

#include "core/math/tolerance.h"
#include "core/query/distance.h"
#include "server/engine/row_reader.h"

namespace clearance::server {
namespace {

using MaybeFault = std::optional<RowFault>;

// What the checks of one row look at.
struct RowCheck {
  const ShapeTable& table;
  std::uint32_t row;

  template <class T>
  RowFault Because(Fault fault, RowColumn column, const Rows<T>& rows, double value) const {
    return {row, rows.stride == 0 ? 0 : row, fault, column, value};
  }
};

// One body of the pair, with the columns that it is described by.
struct Body {
  const Rows<std::uint32_t>& slots;
  const Rows<double>& poses;
  RowColumn slot_column;
  RowColumn pose_column;
};

struct MotionColumns {
  RowColumn displacements, rotations, pivots, end_poses;
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

// The first number that is not finite, or null.
const double* FindNotFinite(const double* numbers, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(numbers[i])) return numbers + i;
  }
  return nullptr;
}

double LengthOf(const Quaternion& q) {
  return std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
}

MaybeFault CheckPose(const RowCheck& check, const Rows<double>& poses, RowColumn column) {
  const Pose pose = PoseAt(poses, check.row);
  switch (FindPoseFault(pose)) {
    case PoseFault::kNone:
      return std::nullopt;
    case PoseFault::kNotFinite: {
      const double* const bad = FindNotFinite(poses.at(check.row), kPoseNumbers);
      return check.Because(Fault::kNotFinite, column, poses, bad == nullptr ? NAN : *bad);
    }
    case PoseFault::kNotUnitLength:
      return check.Because(Fault::kNotUnitLength, column, poses, LengthOf(pose.q_WS));
  }
  return std::nullopt;
}

MaybeFault CheckBody(const RowCheck& check, const Body& body) {
  const std::uint32_t slot = *body.slots.at(check.row);
  const RigidBody* const rigid_body = check.table.body(slot);
  if (rigid_body == nullptr) {
    const SlotState state = check.table.state(slot);
    const Fault fault = state == SlotState::kPoisoned ? Fault::kSlotPoisoned
                        : state == SlotState::kClosed ? Fault::kSlotClosed
                                                      : Fault::kSlotNeverOpened;
    return check.Because(fault, body.slot_column, body.slots, slot);
  }
  if (MaybeFault fault = CheckPose(check, body.poses, body.pose_column)) return fault;
  const Pose pose = PoseAt(body.poses, check.row);
  if (IsRepresentable(rigid_body->bounding_radius(), pose)) return std::nullopt;
  const double farthest =
      std::fmax(std::fabs(pose.p_WS.x), std::fmax(std::fabs(pose.p_WS.y), std::fabs(pose.p_WS.z)));
  return check.Because(Fault::kNotRepresentable, body.pose_column, body.poses, farthest);
}

MaybeFault CheckPair(const RowCheck& check, const PairRows& pairs) {
  if (MaybeFault fault = CheckBody(check, BodyA(pairs))) return fault;
  return CheckBody(check, BodyB(pairs));
}

MaybeFault CheckLength(const RowCheck& check, const Rows<double>& lengths, RowColumn column) {
  const double length = *lengths.at(check.row);
  if (length >= 0) return std::nullopt;  // false for NaN
  return check.Because(Fault::kNotALength, column, lengths, length);
}

MaybeFault CheckFiniteLength(const RowCheck& check, const Rows<double>& lengths, RowColumn column) {
  const double length = *lengths.at(check.row);
  if (std::isinf(length)) return check.Because(Fault::kNotFinite, column, lengths, length);
  return CheckLength(check, lengths, column);
}

MaybeFault CheckFinite(const RowCheck& check, const Rows<double>& vectors, RowColumn column) {
  const double* const bad = FindNotFinite(vectors.at(check.row), kVectorNumbers);
  if (bad == nullptr) return std::nullopt;
  return check.Because(Fault::kNotFinite, column, vectors, *bad);
}

MaybeFault CheckRotation(const RowCheck& check, const Rows<double>& rotations, RowColumn column) {
  if (MaybeFault fault = CheckFinite(check, rotations, column)) return fault;
  const double length = std::sqrt(NormSquared(VectorAt(rotations, check.row)));
  if (length <= kMaxRotation) return std::nullopt;
  return check.Because(Fault::kRotationTooLong, column, rotations, length);
}

MaybeFault CheckMotionNumbers(const RowCheck& check, const MotionRows& motions,
                              const MotionColumns& columns) {
  if (motions.end_poses.data != nullptr)
    return CheckPose(check, motions.end_poses, columns.end_poses);
  if (MaybeFault fault = CheckFinite(check, motions.displacements, columns.displacements))
    return fault;
  if (MaybeFault fault = CheckRotation(check, motions.rotations, columns.rotations)) return fault;
  if (motions.pivots.data == nullptr) return std::nullopt;
  return CheckFinite(check, motions.pivots, columns.pivots);
}

MaybeFault CheckMotion(const RowCheck& check, const Body& body, const MotionRows& motions,
                       const MotionColumns& columns) {
  if (MaybeFault fault = CheckMotionNumbers(check, motions, columns)) return fault;
  const Pose start = PoseAt(body.poses, check.row);
  Motion motion;
  if (MotionAt(motions, start, check.row, &motion) == EndPoseFault::kAmbiguous) {
    return check.Because(Fault::kEndPoseAmbiguous, columns.end_poses, motions.end_poses,
                         motions.end_poses.at(check.row)[6]);
  }
  const RigidBody& rigid_body = *check.table.body(*body.slots.at(check.row));
  if (IsMotionRepresentable(rigid_body.bounding_radius(), start, motion)) return std::nullopt;
  const bool has_end = motions.end_poses.data != nullptr;
  const Rows<double>& rows = has_end ? motions.end_poses : motions.displacements;
  return check.Because(Fault::kMotionNotRepresentable,
                       has_end ? columns.end_poses : columns.displacements, rows,
                       *rows.at(check.row));
}

MaybeFault CheckRow(const RowCheck& check, const DistanceQuestions& questions) {
  if (MaybeFault fault = CheckPair(check, questions.pairs)) return fault;
  return CheckLength(check, questions.max_distances, RowColumn::kMaxDistances);
}

MaybeFault CheckRow(const RowCheck& check, const IntersectionQuestions& questions) {
  return CheckPair(check, questions.pairs);
}

MaybeFault CheckRow(const RowCheck& check, const TimeOfCollisionQuestions& questions) {
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
    if (const MaybeFault fault = CheckRow({table, row}, questions)) faults.push_back(*fault);
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
