// SPDX-License-Identifier: Apache-2.0
//
// Placements in double of many pairs, computed side by side in vector instructions: the results of
// MakeAxes and MakePlacement for each, bit for bit, on any vector unit.

#pragma once

#include <array>
#include <cstddef>

#include "core/math/rotation.h"
#include "core/math/vec3.h"
#include "core/narrow/minkowski_difference.h"
#include "core/narrow/placement.h"

namespace clearance {

// Pairs are added one by one, placed all at once, and then read by their numbers.
class PlacementRows {
 public:
  static constexpr std::size_t kMax = 64;
  static constexpr std::size_t kAtOnce = 8;
  // One number of all pairs.
  struct alignas(64) Row {
    double of[kMax];
  };

  // The input from the pairs, and the results; matrices by rows.
  struct Given {
    std::array<Row, 4> q_a, q_b;  // x, y, z, w
    std::array<Row, 3> p_W;       // from A's centre to B's, world axes, units
    Row radius_b, rotation_error, center_error_a, center_error_b, least_places;
  };
  struct Found {
    std::array<Row, 9> R_AW, R_AB;
    std::array<Row, 3> p_AB;
    Row error;
  };

  PlacementRows() {}  // NOLINT(modernize-use-equals-default): the rows stay as memory has them

  // True if no shape is turned inside of its body.
  static bool IsFor(const PosedShape& a, const PosedShape& b) {
    return !IsTurnedInBody(a) && !IsTurnedInBody(b);
  }

  // Adds a pair and returns its number. Requires: IsFor, and fewer than kMax pairs so far.
  std::size_t Add(const ShapePair& pair, const PosedShape& a, const PosedShape& b,
                  const CenterOffset& offset);

  void Place();

  // These require: Place since the pair was added.
  Mat3<double> RotationAW(std::size_t i) const { return MatrixAt(found_.R_AW, i); }
  Placement<double> PlacementAt(std::size_t i) const {
    const auto& [x, y, z] = found_.p_AB;
    return {MatrixAt(found_.R_AB, i), {x.of[i], y.of[i], z.of[i]}, {}, found_.error.of[i]};
  }

 private:
  static Mat3<double> MatrixAt(const std::array<Row, 9>& m, std::size_t i) {
    return {{m[0].of[i], m[1].of[i], m[2].of[i]},
            {m[3].of[i], m[4].of[i], m[5].of[i]},
            {m[6].of[i], m[7].of[i], m[8].of[i]}};
  }

  // Gives lanes that are placed with the last pairs, but hold none, the last pair's numbers.
  void FillLastLanes();

  std::size_t size_ = 0;
  Given given_;
  Found found_;
};

}  // namespace clearance
