// SPDX-License-Identifier: Apache-2.0

#include "server/kinds/clearance.h"

#include "absl/strings/str_format.h"
#include "server/kinds/scene_row_loop.h"

namespace clearance::server {
namespace {

struct ClearanceRows {
  static constexpr int kRefused = kStateRefused;
  static constexpr int kUndecided = static_cast<int>(State::kUndecided);

  const ClearanceQuestions& questions;
  const ClearanceColumns& columns;
  const RowTools& tools;

  using Answer = ClearanceAnswer;

  ClearanceOptions OptionsOf(std::uint32_t row) const {
    return {.max_distance = *questions.max_distances.at(row),
            .tolerance = questions.tolerance,
            .exact = questions.exact};
  }

  ClearanceAnswer Ask(std::uint32_t row, std::uint32_t /*i*/) const {
    return Clearance(tools.AskerOf(questions.configurations, row), OptionsOf(row),
                     &tools.room.scratch);
  }

  RowSummary Put(const ClearanceAnswer& answer, std::uint32_t i) const {
    const DistanceAnswer& distance = answer.distance;
    PutNumber(columns.lower_bounds, i, distance.bracket.lower);
    PutNumber(columns.upper_bounds, i, distance.bracket.upper);
    PutNumber(columns.free_radii, i, answer.free_radius);
    if (answer.has_pair) PutPair(columns, i, answer.pair);
    if (distance.state != State::kBeyond && distance.state != State::kUndecided)
      PutContact(columns, i, distance);
    return {static_cast<int>(distance.state), distance.reason, answer.counters};
  }

  SceneFinding Find(std::uint32_t row, const ClearanceAnswer& answer, PairTurn turn) const {
    const Asker asker = tools.AskerOf(questions.configurations, row);
    SceneFinding finding = tools.FindingOf(questions.configurations.asked, asker);
    finding.kind = QueryKind::kClearance;
    const ClearanceOptions options = OptionsOf(row);
    finding.question = absl::StrFormat("clearance max_distance %a tolerance %a exact %d",
                                       options.max_distance, options.tolerance, options.exact);
    finding.look = FindContradiction(AskedClearance{asker, options}, answer, turn);
    return finding;
  }

  void PutNotReached(std::uint32_t i) const {
    PutNothingKnown(columns.lower_bounds, columns.upper_bounds, i);
  }
};

}  // namespace

std::vector<RowFault> FindFaults(const ClearanceQuestions& questions, const ShapeTable& /*table*/) {
  return FindFaultsOf(questions.configurations.count,
                      [&, same = SameInAll()](const RowCheck& check) mutable {
                        MaybeFault fault = CheckPoses(check, questions.configurations, &same);
                        return fault ? fault : CheckLength(check, questions.max_distances);
                      });
}

std::uint32_t AnswerRows(const ClearanceQuestions& questions, const Work& work,
                         const ClearanceColumns& columns) {
  return AnswerSceneRows<ClearanceRows>(questions, work, columns);
}

}  // namespace clearance::server
