// SPDX-License-Identifier: Apache-2.0

#include <limits>

#include "absl/strings/str_format.h"
#include "server/kinds/kinds.h"
#include "server/kinds/scene_row_loop.h"

namespace clearance::server {
namespace {

// Checks several rows before their turn, side by side, and hands the answers out one by one.
class ChecksAhead {
 public:
  ChecksAhead(const ConfigurationRows& rows, const Work& work)
      : rows_(rows), work_(work), next_row_(work.first) {}

  // The answer of the next row that is not refused. Requires: own pairs, rows with poses.
  CheckAnswer Take(const RowTools& tools) {
    if (next_answer_ >= tools.room.checks_ahead.size()) AskNext(tools);
    // A list of the row's pairs goes on with what the check has left.
    *tools.budget = tools.room.budgets_ahead[next_answer_];
    return tools.room.checks_ahead[next_answer_++];
  }

 private:
  void AskNext(const RowTools& tools) {
    next_answer_ = 0;
    std::vector<Pose>& poses = tools.room.poses_ahead;
    const std::size_t bodies = rows_.asked.bodies.size();
    poses.resize(kChecksAtOnce * bodies);
    std::size_t count = 0;
    for (; next_row_ < work_.first + work_.count && count < kChecksAtOnce; ++next_row_) {
      if (next_fault_ < work_.faults.size() && work_.faults[next_fault_].index == next_row_) {
        ++next_fault_;
        continue;
      }
      CopyPoses(rows_, next_row_, poses.data() + count * bodies);
      ++count;
    }
    std::vector<CheckAnswer>& answers = tools.room.checks_ahead;
    answers.resize(count);
    const auto asked = absl::MakeConstSpan(poses).first(count * bodies);
    std::vector<WorkBudget>& budgets = tools.room.budgets_ahead;
    budgets.assign(count, WorkBudget(tools.pacer, work_.most_steps));
    CheckConfigurations({tools.QueryAnywhere(rows_.asked), asked, absl::MakeSpan(budgets)}, {},
                        absl::MakeSpan(answers), &tools.room.scratch);
  }

  const ConfigurationRows& rows_;
  const Work& work_;
  std::uint32_t next_row_;
  std::size_t next_fault_ = 0;
  std::size_t next_answer_ = std::numeric_limits<std::size_t>::max();  // nothing was asked yet
};

struct CheckRows : SceneRows<CheckQuestions> {
  ChecksAhead* ahead;

  clearance::CheckOptions Options() const {
    return {.wants_free_radius = questions.wants_free_radii};
  }

  // Whether rows are few pairs each, and enough to be asked side by side.
  bool GoesAhead() const {
    return tools.own_pairs != nullptr && questions.configurations.poses.data != nullptr &&
           !questions.wants_free_radii;
  }

  CheckAnswer Ask(std::uint32_t row, std::uint32_t i) const {
    if (GoesAhead()) return Listed(row, i, ahead->Take(tools));
    const SceneQuery query = QueryOf(row);
    return Listed(row, i, CheckScene(query, Options(), &tools.room.scratch));
  }

  CheckAnswer Listed(std::uint32_t row, std::uint32_t i, CheckAnswer answer) const {
    if (answer.verdict == Verdict::kFree || !columns.listed.is_wanted()) return answer;
    const SceneQuery query = QueryOf(row);
    ListVerdicts(query, tools, {columns.listed, i, questions.max_pairs}, &answer);
    return answer;
  }

  RowSummary Put(const CheckAnswer& answer, std::uint32_t i) const {
    if (answer.verdict == Verdict::kFree) {
      PutNumber(columns.free_radii, i, answer.free_radius);
    } else {
      PutPair(columns, i, answer.first.pair);
      PutNumber(columns.lower_bounds, i, answer.first.bracket.lower);
      PutNumber(columns.upper_bounds, i, answer.first.bracket.upper);
    }
    return {static_cast<int>(answer.verdict), answer.reason, answer.counters};
  }

  SceneFinding Find(std::uint32_t row, const CheckAnswer& answer, PairTurn turn) const {
    const SceneQuery query = QueryOf(row);
    return {.look = FindContradiction(query, answer, turn),
            .question = absl::StrFormat("check wants_free_radius %d", Options().wants_free_radius),
            .bodies = query.bodies,
            .poses = query.poses};
  }
};

}  // namespace

std::vector<RowFault> FindFaults(const CheckQuestions& questions, const ShapeTable& /*table*/) {
  return FindFaultsOf(questions.configurations);
}

std::uint32_t AnswerRows(const CheckQuestions& questions, const Work& work,
                         const Columns& columns) {
  ChecksAhead ahead(questions.configurations, work);
  return AnswerSceneRows<CheckRows>(questions, work, columns, &ahead);
}

}  // namespace clearance::server
