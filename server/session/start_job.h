// SPDX-License-Identifier: Apache-2.0
//
// Makes a job of a batch, the same for a session's message and a unary call, and tells its cost
// before anything is known but its message and its subject.

#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "server/engine/shape_table.h"
#include "server/kinds/kinds.h"
#include "server/schedule/work.h"
#include "server/session/batch_job.h"
#include "server/session/call_scope.h"
#include "server/session/session_scenes.h"

namespace clearance::server {

// Returns the maximum cost of a batch on ordinary shapes, in units of kMaxCheapCost, if every pair
// of pieces must be asked. Beyond some seconds the estimate is poor, and the numbers are the
// caller's, unchecked. The limit keeps one message from taking the place of many.
template <class Batch>
std::uint64_t CostOf(const Batch& batch, std::uint64_t vertices_a_step, std::uint64_t pieces) {
  constexpr std::uint64_t kVerticesAUnit = 512;
  constexpr double kMostCost = 10e6;
  // The caller's numbers are unchecked here: their product may be of any size.
  const double rows = batch.pairs().count();
  const std::uint64_t units_a_step = 1 + vertices_a_step / kVerticesAUnit;
  const double row = static_cast<double>(pieces) * static_cast<double>(pieces) *
                     static_cast<double>(units_a_step) * static_cast<double>(kUnitsARow<Batch>);
  const double dear_row = MayBeDear(batch) ? std::max(row, static_cast<double>(kDear)) : row;
  return static_cast<std::uint64_t>(std::min(rows * dear_row, kMostCost));
}
template <class Batch>
std::uint64_t CostOf(const Batch& batch, const ShapeTable& table) {
  return CostOf(batch, table.max_vertices_a_step(), table.max_piece_count());
}

struct AskedSize {
  std::uint64_t scene_bodies = 0;
  std::uint64_t query_bodies = 0;
};
inline AskedSize SizeOf(const AskedScene& asked) {
  return {asked.scene->size(), asked.bodies.size()};
}

// Returns the possible cost of a batch about a scene in units of kMaxCheapCost: rows, times bodies,
// times the cost of a search of the scene's tree.
template <class Batch>
std::uint64_t CostOf(const Batch& batch, const AskedSize& asked) {
  constexpr std::uint64_t kMostCost = 10'000'000;
  constexpr std::uint64_t kOwnPairsAUnit = 64;
  const std::uint64_t rows = RowCountOf(batch);
  const std::uint64_t bodies = std::max<std::uint64_t>(1, asked.query_bodies);
  const auto depth = static_cast<std::uint64_t>(std::bit_width(asked.scene_bodies));
  const std::uint64_t row =
      UnitsASearch(batch) * (1 + bodies * (1 + depth) / 2 + bodies * bodies / kOwnPairsAUnit);
  return row > kMostCost / std::max<std::uint64_t>(1, rows) ? kMostCost : rows * row;
}

// The scope has no cost yet.
template <class Kind>
absl::StatusOr<BatchJob<Kind>> StartJob(JobScope scope, const typename Kind::Batch& batch) {
  const Limits& limits = scope.call.parts.limits;
  const auto start = [&](auto questions, std::uint64_t cost) -> absl::StatusOr<BatchJob<Kind>> {
    if (!questions.ok()) return questions.status();
    scope.cost = cost;
    return BatchJob<Kind>::Start(scope, batch, *std::move(questions));
  };
  if constexpr (kIsAboutScene<Kind>) {
    const auto asked = scope.scenes->Asked(AboutOf(batch));
    if (!asked.ok()) return asked.status();
    return start(ParseQuestions<Kind>(batch, limits, *asked), CostOf(batch, SizeOf(*asked)));
  } else {
    return start(ParseQuestions<Kind>(batch, limits), CostOf(batch, scope.table));
  }
}

}  // namespace clearance::server
