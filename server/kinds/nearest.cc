// SPDX-License-Identifier: Apache-2.0

#include "server/kinds/kinds.h"
#include "server/kinds/scene_row_loop.h"

namespace clearance::server {
namespace {

struct NearestRows : SceneRows<NearestQuestions> {
  // Returns room for the pairs, which stay until the next row.
  absl::Span<PairDistance> Room() const {
    std::vector<PairDistance>& nearest = tools.room.nearest;
    nearest.resize(std::max<std::size_t>(nearest.size(), questions.max_pairs));
    return absl::MakeSpan(nearest).first(questions.max_pairs);
  }

  NearestAnswer Ask(std::uint32_t row, std::uint32_t /*i*/) const {
    return Nearest(QueryOf(row), questions.OptionsOf(row), Room(), &tools.room.scratch);
  }

  // Pairs that were found before the budget ended need not be the nearest.
  RowSummary Put(const NearestAnswer& answer, std::uint32_t /*i*/) const {
    if (const UndecidedReason reason = tools.budget->reason(); reason != UndecidedReason::kNone)
      return {static_cast<int>(State::kUndecided), reason, answer.counters};
    const absl::Span<const PairDistance> nearest = Room().first(answer.size);
    for (const PairDistance& pair : nearest) List(pair, columns.listed);
    if (nearest.empty())
      return {.state = static_cast<int>(State::kBeyond), .counters = answer.counters};
    const DistanceAnswer& first = nearest.front().distance;
    return {static_cast<int>(first.state), first.reason, answer.counters};
  }
};

}  // namespace

std::vector<RowFault> FindFaults(const NearestQuestions& questions, const ShapeTable& /*table*/) {
  return FindFaultsOf(questions.configurations, &questions.max_distances);
}

std::uint32_t AnswerRows(const NearestQuestions& questions, const Work& work,
                         const Columns& columns) {
  return AnswerSceneRows<NearestRows>(questions, work, columns);
}

}  // namespace clearance::server
