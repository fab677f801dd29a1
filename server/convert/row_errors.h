// SPDX-License-Identifier: Apache-2.0
//
// Errors in a reply for rows that were refused.

#pragma once

#include <cstdint>

#include "clearance/v1/error.pb.h"
#include "server/engine/row_check.h"
#include "server/engine/shape_table.h"

namespace clearance::server {

// No Error of a row takes more bytes of a reply than this.
inline constexpr std::uint64_t kMaxRowErrorBytes = 512;

// Fills the Error of a fault. Requires: the fault was found with `table`, which is unchanged since.
void FillRowError(const RowFault& fault, const ShapeTable& table, v1::Error* error);

}  // namespace clearance::server
