// SPDX-License-Identifier: Apache-2.0
//
// Intersections of pairs.

#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "clearance/v1/query.pb.h"
#include "server/engine/answer.h"
#include "server/kinds/pairs.h"
#include "server/kinds/reply_columns.h"

namespace clearance::server {

struct IntersectionQuestions {
  PairRows pairs;
  bool exact = false;
};

struct IntersectionKind {
  using Batch = v1::IntersectionBatch;
  using Result = v1::IntersectionBatchResult;
  using Questions = IntersectionQuestions;
  using Detail = v1::IntersectionDetail;

  static constexpr std::uint64_t kUnitsARow = 1;
  static constexpr auto kColumns = std::tuple(
      Numbers{&Columns::states, &Result::mutable_states, kAlways},
      Numbers{&Columns::lower_bounds, &Result::mutable_lower_bounds, &Detail::bounds}.Or(-kNoBound),
      Numbers{&Columns::upper_bounds, &Result::mutable_upper_bounds, &Detail::bounds}.Or(kNoBound),
      Numbers{&Columns::iterations, &Result::mutable_iterations, &Detail::iterations, 1,
              kVarintBytes});

  static const Detail& DetailOf(const Batch& batch) { return batch.detail(); }
  static bool MayBeDear(const Batch& batch) { return batch.exact(); }
};

std::vector<RowFault> FindFaults(const IntersectionQuestions& questions, const ShapeTable& table);
std::uint32_t AnswerRows(const IntersectionQuestions& questions, const Work& work,
                         const Columns& columns);

}  // namespace clearance::server
