// SPDX-License-Identifier: Apache-2.0
//
// Cuts batches that exceed a server's limits into runs of rows, each a message of its own.

#ifndef CLEARANCE_INTERNAL_SPLIT_H_
#define CLEARANCE_INTERNAL_SPLIT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clearance/query.h"

namespace clearance::client {

// Rows first .. first + count - 1 of a batch.
struct RowRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

// What one message may hold.
struct MessageLimits {
  std::uint64_t max_rows = 0;
  std::uint64_t max_bytes = 0;
};

// Ranges that cover the batch in order, as few as the limits allow, of at least one row each. A
// batch whose columns do not fit its count comes back as one range: the server says what is wrong
// with it.
std::vector<RowRange> SplitRows(const DistanceBatch& batch, const MessageLimits& limits);
std::vector<RowRange> SplitRows(const IntersectionBatch& batch, const MessageLimits& limits);
std::vector<RowRange> SplitRows(const TimeOfCollisionBatch& batch, const MessageLimits& limits);

// Calls visit(column, numbers a row) for every column of a batch.
template <class Visit>
void VisitColumns(const Pairs& pairs, Visit visit) {
  visit(pairs.slots_a, 1);
  visit(pairs.slots_b, 1);
  visit(pairs.poses_a, 7);
  visit(pairs.poses_b, 7);
}

template <class Visit>
void VisitColumns(const DistanceBatch& batch, Visit visit) {
  VisitColumns(batch.pairs, visit);
  visit(batch.max_distances, 1);
}

template <class Visit>
void VisitColumns(const IntersectionBatch& batch, Visit visit) {
  VisitColumns(batch.pairs, visit);
}

template <class Visit>
void VisitColumns(const TimeOfCollisionBatch& batch, Visit visit) {
  VisitColumns(batch.pairs, visit);
  for (const auto* column : {&batch.displacements_a, &batch.displacements_b, &batch.rotations_a,
                             &batch.rotations_b, &batch.pivots_a, &batch.pivots_b}) {
    visit(*column, 3);
  }
  visit(batch.end_poses_a, 7);
  visit(batch.end_poses_b, 7);
  visit(batch.target_distances, 1);
}

}  // namespace clearance::client

#endif  // CLEARANCE_INTERNAL_SPLIT_H_
