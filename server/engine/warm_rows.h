// SPDX-License-Identifier: Apache-2.0
//
// Where the rows of a session's last distance batch ended, so that the same rows of its next batch
// may begin there. Nothing that is answered depends on it but the iterations.

#ifndef CLEARANCE_SERVER_ENGINE_WARM_ROWS_H_
#define CLEARANCE_SERVER_ENGINE_WARM_ROWS_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/query/distance.h"

namespace clearance::server {

// Thread-compatible. After Reserve, different rows below it may be found and kept by different
// threads at once.
class WarmRows {
 public:
  // Rows beyond this begin cold: a session's memory of rows has its bound, some 700 kB. A power of
  // two.
  static constexpr std::uint32_t kMostRows = 16'384;

  // Of one row: its slots, whose shapes the vertices are of.
  struct Key {
    std::uint32_t row = 0;
    std::uint32_t slot_a = 0;
    std::uint32_t slot_b = 0;
  };

  // False, and nothing written, if nothing is known of the row with these slots.
  bool Find(const Key& key, Witness* start) const;

  // Makes room for the rows of a batch, up to kMostRows.
  void Reserve(std::uint32_t rows);

  // Keeps what the answer ends with, if that is a start.
  void Keep(const Key& key, const DistanceAnswer& answer);

  // Has to be called whenever the shape of a slot changes: vertices are numbers of its shape.
  void Forget() { rows_.clear(); }

  std::size_t byte_size() const { return rows_.capacity() * sizeof(Row); }
  // What it will be at most once there is room for so many.
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

#endif  // CLEARANCE_SERVER_ENGINE_WARM_ROWS_H_
