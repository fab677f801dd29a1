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
inline bool HasDistance(State state) {
  return state == State::kSeparated || state == State::kTouching || state == State::kPenetrating;
}

// Returns whether the row has a contact: a time, points and a normal.
inline bool HasContact(MotionState state) {
  return state == MotionState::kHit || state == MotionState::kInitiallyOverlapping;
}

// Sets the numbers of rows `first` and later to NaN if `has_numbers` is false for their states.
template <class Enum>
void BlankRows(const std::vector<Enum>& states, std::size_t first, bool (*has_numbers)(Enum),
               std::initializer_list<NumberColumn> columns) {
  for (std::size_t row = first; row < states.size(); ++row) {
    if (has_numbers(states[row])) continue;
    for (const NumberColumn& column : columns) {
      const std::size_t begin = column.width * row;
      if (begin + column.width > column.numbers->size()) continue;
      std::fill_n(column.numbers->begin() + static_cast<std::ptrdiff_t>(begin), column.width,
                  std::numeric_limits<double>::quiet_NaN());
    }
  }
}

// Blanks the columns that pairs of bodies and rows of bodies share.
template <class Result>
void BlankDistances(std::size_t first, Result* result) {
  BlankRows(result->states, first, HasDistance,
            {{&result->distances},
             {&result->points_a, 3},
             {&result->points_b, 3},
             {&result->normals, 3}});
}

template <class Result>
void BlankContacts(std::size_t first, Result* result) {
  BlankRows(result->states, first, HasContact,
            {{&result->t_hit},
             {&result->distances},
             {&result->points_a, 3},
             {&result->points_b, 3},
             {&result->normals, 3}});
}

}  // namespace clearance::client
