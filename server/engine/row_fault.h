// SPDX-License-Identifier: Apache-2.0
//
// Finds the rows of a batch that are bad by themselves, before any row is answered. The core cannot
// fail on the other rows, and the size of the reply is known before the work.

#ifndef CLEARANCE_SERVER_ENGINE_ROW_FAULT_H_
#define CLEARANCE_SERVER_ENGINE_ROW_FAULT_H_

#include <cstdint>
#include <vector>

#include "server/engine/batch.h"
#include "server/engine/shape_table.h"

namespace clearance::server {

enum class Fault : std::uint8_t {
  kSlotNeverOpened,
  kSlotClosed,
  kSlotPoisoned,
  kNotFinite,               // a number of a pose or a motion
  kNotUnitLength,           // a quaternion
  kNotALength,              // NaN or negative
  kNotRepresentable,        // a point of the posed shape would overflow
  kRotationTooLong,         // more than kMaxRotation
  kMotionNotRepresentable,  // a point of the shape would overflow during the motion
  kEndPoseAmbiguous,        // half a turn
};

enum class RowColumn : std::uint8_t {
  kSlotsA,
  kSlotsB,
  kPosesA,
  kPosesB,
  kMaxDistances,
  kDisplacementsA,
  kDisplacementsB,
  kRotationsA,
  kRotationsB,
  kPivotsA,
  kPivotsB,
  kEndPosesA,
  kEndPosesB,
  kTargetDistances,
  // of scenes
  kPoses,
  kDisplacements,
  kRotations,
  kEndPoses,
  kOrigins,
  kRadii,
  kShapeSlots,
  kShapePoses,
  kMargins,
};

// Holds the first fault of one row.
struct RowFault {
  std::uint32_t index = 0;  // the row of the batch
  // The row of the column: 0 if one row stands for all. If a column has several bodies a row: the
  // index of the body, counted over the bodies of all rows.
  std::uint32_t column_row = 0;
  Fault fault = Fault::kNotFinite;
  RowColumn column = RowColumn::kPosesA;
  double value = 0;  // the offending number: a slot, a coordinate, a length
};

// Returns the faults in the order of the rows, at most one a row.
std::vector<RowFault> FindFaults(const DistanceQuestions& questions, const ShapeTable& table);
std::vector<RowFault> FindFaults(const IntersectionQuestions& questions, const ShapeTable& table);
std::vector<RowFault> FindFaults(const TimeOfCollisionQuestions& questions,
                                 const ShapeTable& table);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_ENGINE_ROW_FAULT_H_
