// SPDX-License-Identifier: Apache-2.0

#include "server/engine/warm_rows.h"

#include <algorithm>

namespace clearance::server {

bool WarmRows::Find(const Key& key, Witness* start) const {
  if (key.row >= rows_.size()) return false;
  const Row& row = rows_[key.row];
  if (row.size == 0 || row.slot_a != key.slot_a || row.slot_b != key.slot_b) return false;
  start->size = row.size;
  std::copy(row.vertices_a.begin(), row.vertices_a.end(), start->vertices_a.begin());
  std::copy(row.vertices_b.begin(), row.vertices_b.end(), start->vertices_b.begin());
  return true;
}

void WarmRows::Reserve(std::uint32_t rows) {
  if (rows <= rows_.size()) return;
  rows_.reserve(CapacityFor(rows));
  rows_.resize(std::min(rows, kMostRows));
}

void WarmRows::Keep(const Key& key, const DistanceAnswer& answer) {
  if (key.row >= kMostRows) return;
  Reserve(key.row + 1);
  Row& row = rows_[key.row];
  row = {.slot_a = key.slot_a, .slot_b = key.slot_b};
  if (answer.state != State::kSeparated) return;
  row.size = std::min(answer.witness.size, kMostPairs);
  std::copy_n(answer.witness.vertices_a.begin(), row.size, row.vertices_a.begin());
  std::copy_n(answer.witness.vertices_b.begin(), row.size, row.vertices_b.begin());
}

}  // namespace clearance::server
