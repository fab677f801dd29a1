// SPDX-License-Identifier: Apache-2.0
//
// Cuts batches that exceed a server's limits into runs of rows, each a separate message.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clearance/query.h"
#include "clearance/scene_query.h"

namespace clearance::client {

// Rows first .. first + count - 1 of a batch.
struct RowRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

// The limits of one message.
struct MessageLimits {
  std::uint64_t max_rows = 0;
  std::uint64_t max_bytes = 0;
};

// Returns ranges that cover the batch in order, as few as the limits allow, of at least one row
// each. A batch whose columns do not fit its count comes back as one range: the server reports its
// fault.
std::vector<RowRange> SplitRows(const DistanceBatch& batch, const MessageLimits& limits);
std::vector<RowRange> SplitRows(const IntersectionBatch& batch, const MessageLimits& limits);
std::vector<RowRange> SplitRows(const TimeOfCollisionBatch& batch, const MessageLimits& limits);
std::vector<RowRange> SplitRows(const CheckBatch& batch, const MessageLimits& limits);
std::vector<RowRange> SplitRows(const MinimumDistanceBatch& batch, const MessageLimits& limits);
std::vector<RowRange> SplitRows(const NearestBatch& batch, const MessageLimits& limits);
std::vector<RowRange> SplitRows(const OverlapBatch& batch, const MessageLimits& limits);
std::vector<RowRange> SplitRows(const SweepBatch& batch, const MessageLimits& limits);
std::vector<RowRange> SplitRows(const RayBatch& batch, const MessageLimits& limits);

// Returns the number of rows of a batch of any kind.
template <class Batch>
std::uint32_t RowCountOf(const Batch& batch) {
  if constexpr (requires { batch.pairs.count; }) {
    return batch.pairs.count;
  } else if constexpr (requires { batch.configurations; }) {
    return batch.configurations.count;
  } else {
    return batch.count;
  }
}

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

// Without the number of bodies a column with any numbers does not fit, and so nothing is cut.
template <class Visit>
void VisitColumns(const Configurations& configurations, Visit visit) {
  visit(configurations.poses, std::uint64_t{7} * configurations.body_count);
}

template <class Visit>
void VisitColumns(const CheckBatch& batch, Visit visit) {
  VisitColumns(batch.configurations, visit);
}

template <class Visit>
void VisitColumns(const MinimumDistanceBatch& batch, Visit visit) {
  VisitColumns(batch.configurations, visit);
  visit(batch.max_distances, 1);
}

template <class Visit>
void VisitColumns(const NearestBatch& batch, Visit visit) {
  VisitColumns(batch.configurations, visit);
  visit(batch.max_distances, 1);
}

template <class Visit>
void VisitColumns(const SweepBatch& batch, Visit visit) {
  const std::uint64_t bodies = batch.configurations.body_count;
  VisitColumns(batch.configurations, visit);
  visit(batch.displacements, 3 * bodies);
  visit(batch.rotations, 3 * bodies);
  visit(batch.end_poses, 7 * bodies);
}

template <class Visit>
void VisitColumns(const OverlapBatch& batch, Visit visit) {
  visit(batch.shape_slots, 1);
  visit(batch.poses, 7);
  visit(batch.margins, 1);
  visit(batch.groups, 1);
  visit(batch.masks, 1);
}

template <class Visit>
void VisitColumns(const RayBatch& batch, Visit visit) {
  visit(batch.origins, 3);
  visit(batch.displacements, 3);
  visit(batch.radii, 1);
  visit(batch.groups, 1);
  visit(batch.masks, 1);
}

}  // namespace clearance::client
