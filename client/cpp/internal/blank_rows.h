// SPDX-License-Identifier: Apache-2.0
//
// Replaces the numbers that have no meaning in the state of their row by NaN. The server sends NaN
// for distances and infinite bounds, but 0 for points, normals and times.

#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <vector>

#include "clearance/query.h"

namespace clearance::client {

// A column with this many numbers a row. If it was not asked for, it is empty.
struct NumberColumn {
  std::vector<double>* numbers;
  std::size_t width = 1;
};

// Returns whether the row has a distance, points and a normal.
inline bool HasNumbers(State state) {
  return state == State::kSeparated || state == State::kTouching || state == State::kPenetrating;
}

// Returns whether the row has a contact: a time, points and a normal.
inline bool HasNumbers(MotionState state) {
  return state == MotionState::kHit || state == MotionState::kInitiallyOverlapping;
}

// Sets the row's numbers to NaN.
inline void BlankRow(std::size_t row, const NumberColumn& column) {
  const std::size_t begin = column.width * row;
  if (begin + column.width > column.numbers->size()) return;
  std::fill_n(column.numbers->begin() + static_cast<std::ptrdiff_t>(begin), column.width,
              std::numeric_limits<double>::quiet_NaN());
}

// Sets the numbers of all rows to NaN whose states have none.
template <class Enum>
void BlankRows(const std::vector<Enum>& states, std::initializer_list<NumberColumn> columns) {
  for (std::size_t row = 0; row < states.size(); ++row) {
    if (HasNumbers(states[row])) continue;
    for (const NumberColumn& column : columns) BlankRow(row, column);
  }
}

}  // namespace clearance::client
