// SPDX-License-Identifier: Apache-2.0
//
// The columns of some rows of a part, so that several threads may answer rows of their own.

#ifndef CLEARANCE_SERVER_ENGINE_COLUMN_SLICE_H_
#define CLEARANCE_SERVER_ENGINE_COLUMN_SLICE_H_

#include <cstdint>

#include "server/engine/answer.h"

namespace clearance::server {

// The rows first .. first + count of a part.
struct RowRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

// True if a column is wanted whose rows can only be written one after another.
bool HasLists(const DistanceColumns& columns);
bool HasLists(const IntersectionColumns& columns);
bool HasLists(const TimeOfCollisionColumns& columns);

// The same columns of these rows only. Requires: no lists, or all rows.
DistanceColumns Slice(const DistanceColumns& columns, const RowRange& rows);
IntersectionColumns Slice(const IntersectionColumns& columns, const RowRange& rows);
TimeOfCollisionColumns Slice(const TimeOfCollisionColumns& columns, const RowRange& rows);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_ENGINE_COLUMN_SLICE_H_
