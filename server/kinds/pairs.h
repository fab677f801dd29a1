// SPDX-License-Identifier: Apache-2.0
//
// The common parts of kinds that ask about pairs of shapes.

#ifndef CLEARANCE_SERVER_KINDS_PAIRS_H_
#define CLEARANCE_SERVER_KINDS_PAIRS_H_

#include "clearance/v1/query.pb.h"
#include "server/convert/batch_form.h"
#include "server/engine/batch.h"
#include "server/engine/row_check.h"
#include "server/engine/shape_table.h"

namespace clearance::server {

PairRows ReadPairs(const v1::PairColumns& pairs, ColumnReader* reader);

// Checks the slots and the poses of a row.
MaybeFault CheckPair(const RowCheck& check, const PairRows& pairs, const ShapeTable& table);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_KINDS_PAIRS_H_
