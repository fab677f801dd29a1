// SPDX-License-Identifier: Apache-2.0
//
// Intersections of pairs.

#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "clearance/v1/query.pb.h"
#include "server/engine/answer.h"
#include "server/kinds/columns.h"
#include "server/kinds/pairs.h"
#include "server/kinds/session_field.h"

namespace clearance::server {

struct IntersectionQuestions {
  PairRows pairs;
  bool exact = false;
};

struct IntersectionColumns {
  absl::Span<int> states;
  absl::Span<double> lower_bounds, upper_bounds;
  absl::Span<std::uint32_t> iterations;
};

struct IntersectionKind {
  using Batch = v1::IntersectionBatch;
  using Result = v1::IntersectionBatchResult;
  using Questions = IntersectionQuestions;
  using Columns = IntersectionColumns;
  using Detail = v1::IntersectionDetail;

  static constexpr QueryKind kKind = QueryKind::kIntersection;
  static constexpr SessionField kInSession = {"intersection", v1::SessionRequest::kIntersection,
                                              &v1::SessionRequest::intersection,
                                              &v1::SessionResponse::mutable_intersection};
  static constexpr std::uint64_t kUnitsARow = 1;
  static constexpr auto kColumns = std::tuple(
      Numbers(&Columns::states, &Result::mutable_states, kAlways),
      NumbersOr(-kNoBound, &Columns::lower_bounds, &Result::mutable_lower_bounds, &Detail::bounds),
      NumbersOr(kNoBound, &Columns::upper_bounds, &Result::mutable_upper_bounds, &Detail::bounds),
      Varints(&Columns::iterations, &Result::mutable_iterations, &Detail::iterations));

  static const Detail& DetailOf(const Batch& batch) { return batch.detail(); }
  static bool MayBeDear(const Batch& batch) { return batch.exact(); }
};

std::vector<RowFault> FindFaults(const IntersectionQuestions& questions, const ShapeTable& table);
std::uint32_t AnswerRows(const IntersectionQuestions& questions, const Work& work,
                         const IntersectionColumns& columns);

}  // namespace clearance::server
