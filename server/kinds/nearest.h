// SPDX-License-Identifier: Apache-2.0
//
// The nearest pairs of configurations in a scene.

#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "clearance/v1/scene_query.pb.h"
#include "server/engine/answer.h"
#include "server/kinds/configurations.h"
#include "server/kinds/reply_columns.h"

namespace clearance::server {

struct NearestQuestions {
  ConfigurationRows configurations;
  std::uint32_t max_pairs = 1;  // >= 1
  Rows<double> max_distances;
  double tolerance = 0;  // finite, >= 0
  bool exact = false;
};

struct NearestKind {
  using Batch = v1::NearestBatch;
  using Result = v1::NearestBatchResult;
  using Questions = NearestQuestions;
  using Detail = v1::NearestDetail;
  using List = v1::NearestPairColumns;

  static constexpr auto kMost = [](const Detail&, const Batch& batch) {
    return std::max(1U, batch.max_pairs());
  };
  static constexpr auto kListed =
      std::tuple(Listed{&PairList::distances, &List::mutable_distances, &Detail::distances},
                 Listed{&PairList::lower_bounds, &List::mutable_lower_bounds, &Detail::bounds},
                 Listed{&PairList::upper_bounds, &List::mutable_upper_bounds, &Detail::bounds},
                 Listed{&PairList::points_a, &List::mutable_points_a, &Detail::points, kVector},
                 Listed{&PairList::points_b, &List::mutable_points_b, &Detail::points, kVector},
                 Listed{&PairList::normals, &List::mutable_normals, &Detail::normals, kVector});
  static constexpr auto kColumns =
      std::tuple(Numbers{&Columns::states, &Result::mutable_states, kAlways},
                 Pairs{&Result::mutable_pairs, &List::mutable_states, kListed, kMost});

  static Detail DetailOf(const Batch& batch) {
    return DetailOr(batch, &Detail::set_distances, &Detail::set_bounds);
  }
  static std::uint64_t UnitsASearch(const Batch& batch) {
    return UnitsOfDistances(batch.exact()) + batch.max_pairs() / 4;
  }
};

std::vector<RowFault> FindFaults(const NearestQuestions& questions, const ShapeTable& table);
std::uint32_t AnswerRows(const NearestQuestions& questions, const Work& work,
                         const Columns& columns);

}  // namespace clearance::server
