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

// Keeps the starts of rows. Thread-compatible. After Reserve, different rows below it may be found
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
  bool Find(const Key& key, Witness* start) const;

  // Makes room for the rows of a batch, up to kMostRows.
  void Reserve(std::uint32_t rows);

  // Keeps the witness of the answer, if it can be a start.
  void Keep(const Key& key, const DistanceAnswer& answer);

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
