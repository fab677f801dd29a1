// SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_format.h"
#include "server/kinds/kinds.h"
#include "server/kinds/scene_row_loop.h"

namespace clearance::server {
namespace {

struct MinimumDistanceRows : SceneRows<MinimumDistanceQuestions> {
  MinimumDistanceAnswer Ask(std::uint32_t row, std::uint32_t /*i*/) const {
    return MinimumDistance(QueryOf(row), questions.OptionsOf(row), &tools.room.scratch);
  }

  RowSummary Put(const MinimumDistanceAnswer& answer, std::uint32_t i) const {
    const DistanceAnswer& distance = answer.distance;
    PutNumber(columns.lower_bounds, i, distance.bracket.lower);
    PutNumber(columns.upper_bounds, i, distance.bracket.upper);
    PutNumber(columns.free_radii, i, answer.free_radius);
    if (answer.has_pair) PutPair(columns, i, answer.pair);
    if (distance.state != State::kBeyond && distance.state != State::kUndecided)
      PutContact(columns, i, distance);
    return {static_cast<int>(distance.state), distance.reason, answer.counters};
  }

  SceneFinding Find(std::uint32_t row, const MinimumDistanceAnswer& answer, PairTurn turn) const {
    const SceneQuery query = QueryOf(row);
    const MinimumDistanceOptions options = questions.OptionsOf(row);
    return {.look = FindContradiction(AskedMinimumDistance{query, options}, answer, turn),
            .question = absl::StrFormat("minimum_distance max_distance %a tolerance %a exact %d",
                                        options.max_distance, options.tolerance, options.exact),
            .bodies = query.bodies,
            .poses = query.poses};
  }
};

}  // namespace

std::vector<RowFault> FindFaults(const MinimumDistanceQuestions& questions,
                                 const ShapeTable& /*table*/) {
  return FindFaultsOf(questions.configurations, &questions.max_distances);
}

std::uint32_t AnswerRows(const MinimumDistanceQuestions& questions, const Work& work,
                         const Columns& columns) {
  return AnswerSceneRows<MinimumDistanceRows>(questions, work, columns);
}

}  // namespace clearance::server
