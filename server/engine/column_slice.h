// SPDX-License-Identifier: Apache-2.0
//
// Columns of some rows of a part, so that several threads may each answer their own rows.

#ifndef CLEARANCE_SERVER_ENGINE_COLUMN_SLICE_H_
#define CLEARANCE_SERVER_ENGINE_COLUMN_SLICE_H_

#include <cstdint>

#include "server/engine/answer.h"

namespace clearance::server {

// Selects the rows first .. first + count of a part.
struct RowRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

// Returns true if a wanted column can only be written one row after another.
bool HasLists(const DistanceColumns& columns);
bool HasLists(const IntersectionColumns& columns);
bool HasLists(const TimeOfCollisionColumns& columns);

// Returns the same columns for these rows only. Requires: no lists, or all rows.
DistanceColumns Slice(const DistanceColumns& columns, const RowRange& rows);
IntersectionColumns Slice(const IntersectionColumns& columns, const RowRange& rows);
TimeOfCollisionColumns Slice(const TimeOfCollisionColumns& columns, const RowRange& rows);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_ENGINE_COLUMN_SLICE_H_
