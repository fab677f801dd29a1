// SPDX-License-Identifier: Apache-2.0
//
// Keeps the ends of the searches of a session's last distance batch, so that the same rows of its
// next batch may start from them. No answer depends on them except for the iterations.

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/query/distance.h"

namespace clearance::server {

// Thread-compatible. After Reserve, different rows below it may be found
// and kept by different threads at once.
class WarmRows {
 public:
  // Rows beyond this begin cold: it limits a session's memory of rows to some 700 kB. A power of
  // two.
  static constexpr std::uint32_t kMostRows = 16'384;

  // Identifies one row and its slots, to whose shapes the vertices belong.
  struct Key {
    std::uint32_t row = 0;
    std::uint32_t slot_a = 0;
    std::uint32_t slot_b = 0;
  };

  // Returns false, and writes nothing, if nothing is known of the row with these slots.
  bool Find(const Key& key, Witness* start) const {
    if (key.row >= rows_.size()) return false;
    const Row& row = rows_[key.row];
    if (row.size == 0 || row.slot_a != key.slot_a || row.slot_b != key.slot_b) return false;
    start->size = row.size;
    std::ranges::copy(row.vertices_a, start->vertices_a.begin());
    std::ranges::copy(row.vertices_b, start->vertices_b.begin());
    return true;
  }

  // Makes room for the rows of a batch, up to kMostRows.
  void Reserve(std::uint32_t rows) {
    if (rows <= rows_.size()) return;
    rows_.reserve(CapacityFor(rows));
    rows_.resize(std::min(rows, kMostRows));
  }

  // Keeps the witness of the answer, if it can be a start.
  void Keep(const Key& key, const DistanceAnswer& answer) {
    if (key.row >= kMostRows) return;
    Reserve(key.row + 1);
    Row& row = rows_[key.row];
    row = {.slot_a = key.slot_a, .slot_b = key.slot_b};
    if (answer.state != State::kSeparated) return;
    row.size = std::min(answer.witness.size, kMostPairs);
    std::copy_n(answer.witness.vertices_a.begin(), row.size, row.vertices_a.begin());
    std::copy_n(answer.witness.vertices_b.begin(), row.size, row.vertices_b.begin());
  }

  // Must be called whenever the shape of a slot changes: vertices are numbers of its shape.
  void Forget() { rows_.clear(); }

  std::size_t byte_size() const { return rows_.capacity() * sizeof(Row); }
  // Returns the most that byte_size() will be once there is room for so many rows.
  std::size_t byte_size_with(std::uint32_t rows) const {
    return std::max(byte_size(), CapacityFor(rows) * sizeof(Row));
  }

 private:
  static constexpr int kMostPairs = 4;
  struct Row {
    std::uint32_t slot_a = 0;
    std::uint32_t slot_b = 0;
    int size = 0;
    std::array<VertexIndex, kMostPairs> vertices_a{};
    std::array<VertexIndex, kMostPairs> vertices_b{};
  };

  static std::size_t CapacityFor(std::uint32_t rows) {
    return std::bit_ceil(std::min(rows, kMostRows));
  }

  std::vector<Row> rows_;
};

}  // namespace clearance::server
