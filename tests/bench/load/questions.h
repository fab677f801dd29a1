// SPDX-License-Identifier: Apache-2.0
//
// The rows that the load generator sends, as messages of any number of rows, and the expected
// replies: from clearance-server the core's answers in this process, bit for bit; from the wire
// floor the sum of the row's pose numbers.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "clearance/v1/query_service.pb.h"
#include "tests/bench/workload.h"

namespace clearance::bench {

struct LoadQuestions {
  Pool pool;
  std::vector<Pair> rows;
};

// `rows` pairs of a pool of `shapes` shapes.
LoadQuestions MakeQuestions(const Size& size, Regime regime, int shapes, int rows);

// Opens shape i of the pool, inline, in slot i.
v1::SessionRequest MakeOpen(const Pool& pool, std::size_t i);

// All rows in messages of `batch` rows that ask for distances, points and normals. Requires: batch
// divides the number of rows.
std::vector<v1::SessionRequest> MakeMessages(const LoadQuestions& questions, int batch);

// Returns "" if the answers to the rows from `first_row` on equal those of the core, bit for bit;
// else the difference.
std::string FindFault(const LoadQuestions& questions, std::size_t first_row,
                      const v1::DistanceBatchResult& result);

// The same for the answers of the wire floor.
std::string FindFloorFault(const LoadQuestions& questions, std::size_t first_row,
                           const v1::DistanceBatchResult& result);

}  // namespace clearance::bench
