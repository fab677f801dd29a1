// SPDX-License-Identifier: Apache-2.0
//
// A batch of questions as plain numbers, borrowed from wherever the message lies: every column is
// resolved to a pointer and a stride, so a column that stands for all rows costs nothing and a
// default needs no special case.

#pragma once

#include <cstddef>
#include <cstdint>

namespace clearance::server {

inline constexpr std::size_t kPoseNumbers = 7;
inline constexpr std::size_t kVectorNumbers = 3;

// One column: row i begins at data + i * stride; stride is 0 where one row stands for all. `data`
// is null only where a comment below allows it.
template <class T>
struct Rows {
  const T* data = nullptr;
  std::size_t stride = 0;
  const char* name = "";  // of the column, in the Error of a row

  const T* at(std::size_t row) const { return data + row * stride; }
};

struct PairRows {
  std::uint32_t count = 0;
  Rows<std::uint32_t> slots_a, slots_b;
  Rows<double> poses_a, poses_b;  // x y z qx qy qz qw
};

// The motion of one body of each pair. Either end_poses.data is null or the three others are what
// motions without them are (0, 0 and null).
struct MotionRows {
  Rows<double> displacements, rotations;
  Rows<double> pivots;     // null data: the origin of the shape's frame at t = 0
  Rows<double> end_poses;  // null data: none
};

}  // namespace clearance::server
