// SPDX-License-Identifier: Apache-2.0
//
// Rows of a batch that are bad by themselves, and checks of single numbers of a row. A kind's
// FindFaults finds bad rows before any row is answered, in order and at most one a row: the core
// cannot fail on the other rows, and the size of the reply is known before the work.

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/math/pose.h"
#include "core/math/tolerance.h"
#include "core/query/distance.h"
#include "server/engine/rows.h"
#include "server/engine/shape_table.h"

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

struct RowFault {
  std::uint32_t index = 0;  // the row of the batch
  // The row of the column: 0 if one row stands for all. If a column has several bodies a row: the
  // index of the body, counted over the bodies of all rows.
  std::uint32_t column_row = 0;
  Fault fault = Fault::kNotFinite;
  const char* column = "";  // its name
  double value = 0;         // the offending number: a slot, a coordinate, a length
  // The number of a pose or a vector that is not finite, from 0; unset for other faults.
  std::optional<std::size_t> component = std::nullopt;
};
using MaybeFault = std::optional<RowFault>;

struct RowCheck {
  std::uint32_t row;

  template <class T>
  RowFault Because(Fault fault, const Rows<T>& rows, double value) const {
    return {row, rows.stride == 0 ? 0 : row, fault, rows.name, value, std::nullopt};
  }
};

// Holds the start of a body of this radius about the origin of its frame.
struct Start {
  Pose pose;
  double radius = 0;
};

// Returns the fault of a slot that is not open.
inline Fault FaultOf(SlotState state) {
  if (state == SlotState::kPoisoned) return Fault::kSlotPoisoned;
  return state == SlotState::kClosed ? Fault::kSlotClosed : Fault::kSlotNeverOpened;
}

// Returns the fault, if any, of a pose for which IsSurelyPlace is false.
MaybeFault FindPlaceFault(const RowCheck& check, const Rows<double>& poses, double radius);

// Returns true only if the pose is valid and a body of this radius is representable there, and then
// nearly always. With | |q|^2 - 1 | < s, | |q| - 1 | is about half of that: no root is needed to
// know that it is below s.
inline bool IsSurelyPlace(const Pose& pose, double radius) {
  const Vec3d& p = pose.p_WS;
  const Quaternion& q = pose.q_WS;
  const double norm_sq = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  const bool is_finite = p.x * 0 + p.y * 0 + p.z * 0 == 0;  // 0 * NaN and 0 * infinity are NaN
  return std::fabs(norm_sq - 1) < kQuaternionSlack && is_finite && IsRepresentable(radius, pose);
}

inline MaybeFault CheckPlace(const RowCheck& check, const Rows<double>& poses, double radius) {
  if (IsSurelyPlace(PoseAt(poses, check.row), radius)) return std::nullopt;
  return FindPlaceFault(check, poses, radius);
}

// Checks that a distance is neither NaN nor negative; CheckFiniteLength also refuses infinity.
inline MaybeFault CheckLength(const RowCheck& check, const Rows<double>& lengths) {
  const double length = *lengths.at(check.row);
  if (length >= 0) return std::nullopt;  // false for NaN
  return check.Because(Fault::kNotALength, lengths, length);
}
MaybeFault CheckFiniteLength(const RowCheck& check, const Rows<double>& lengths);

MaybeFault CheckFinite(const RowCheck& check, const Rows<double>& vectors);

MaybeFault CheckMotion(const RowCheck& check, const Start& start, const MotionRows& motions);

// Returns the faults in the order of the rows, at most one a row. find(check) returns the fault of
// a row.
template <class Find>
std::vector<RowFault> FindFaultsOf(std::uint32_t rows, Find find) {
  std::vector<RowFault> faults;
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (const MaybeFault fault = find(RowCheck{row})) faults.push_back(*fault);
  }
  return faults;
}

}  // namespace clearance::server
