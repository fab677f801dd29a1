// SPDX-License-Identifier: Apache-2.0
//
// The minimum distance of configurations to a scene: that of the nearest pair.

#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "clearance/v1/scene_query.pb.h"
#include "server/engine/answer.h"
#include "server/kinds/configurations.h"
#include "server/kinds/reply_columns.h"

namespace clearance::server {

struct MinimumDistanceQuestions {
  ConfigurationRows configurations;
  Rows<double> max_distances;
  double tolerance = 0;  // finite, >= 0
  bool exact = false;
};

struct MinimumDistanceKind {
  using Batch = v1::MinimumDistanceBatch;
  using Result = v1::MinimumDistanceBatchResult;
  using Questions = MinimumDistanceQuestions;
  using Detail = v1::MinimumDistanceDetail;

  static constexpr auto kColumns = std::tuple(
      Numbers{&Columns::states, &Result::mutable_states, kAlways},
      Numbers{&Columns::bodies_a, &Result::mutable_bodies_a, &Detail::pairs},
      Numbers{&Columns::bodies_b, &Result::mutable_bodies_b, &Detail::pairs},
      Numbers{&Columns::is_self, &Result::mutable_is_self, &Detail::pairs},
      Numbers{&Columns::distances, &Result::mutable_distances, &Detail::distances}.Or(kNoDistance),
      Numbers{&Columns::lower_bounds, &Result::mutable_lower_bounds, &Detail::bounds}.Or(-kNoBound),
      Numbers{&Columns::upper_bounds, &Result::mutable_upper_bounds, &Detail::bounds}.Or(kNoBound),
      Numbers{&Columns::points_a, &Result::mutable_points_a, &Detail::points, kVector},
      Numbers{&Columns::points_b, &Result::mutable_points_b, &Detail::points, kVector},
      Numbers{&Columns::normals, &Result::mutable_normals, &Detail::normals, kVector},
      Numbers{&Columns::free_radii, &Result::mutable_free_radii, &Detail::free_radii});

  static Detail DetailOf(const Batch& batch) {
    return DetailOr(batch, &Detail::set_distances, &Detail::set_bounds);
  }
  static std::uint64_t UnitsASearch(const Batch& batch) { return UnitsOfDistances(batch.exact()); }
};

std::vector<RowFault> FindFaults(const MinimumDistanceQuestions& questions,
                                 const ShapeTable& table);
std::uint32_t AnswerRows(const MinimumDistanceQuestions& questions, const Work& work,
                         const Columns& columns);

}  // namespace clearance::server
