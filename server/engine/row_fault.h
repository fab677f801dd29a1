// SPDX-License-Identifier: Apache-2.0
//
// Rows of a batch that are bad by themselves. A kind's FindFaults finds them before any row is
// answered, in order and at most one a row: the core cannot fail on the other rows, and the size of
// the reply is known before the work.

#pragma once

#include <cstdint>

namespace clearance::server {

enum class Fault : std::uint8_t {
  // of slots
  kSlotNeverOpened,
  kSlotClosed,
  kSlotPoisoned,
  // of other numbers
  kNotFinite,               // a number of a pose or a motion
  kNotUnitLength,           // a quaternion
  kNotALength,              // NaN or negative
  kNotRepresentable,        // a point of the posed shape would overflow
  kRotationTooLong,         // more than kMaxRotation
  kMotionNotRepresentable,  // a point of the shape would overflow during the motion
  kEndPoseAmbiguous,        // half a turn
};

// Holds the first fault of one row.
struct RowFault {
  std::uint32_t index = 0;  // the row of the batch
  // The row of the column: 0 if one row stands for all. If a column has several bodies a row: the
  // index of the body, counted over the bodies of all rows.
  std::uint32_t column_row = 0;
  Fault fault = Fault::kNotFinite;
  const char* column = "";  // its name
  double value = 0;         // the offending number: a slot, a coordinate, a length
};

}  // namespace clearance::server
