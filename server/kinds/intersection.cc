// SPDX-License-Identifier: Apache-2.0

#include "absl/container/inlined_vector.h"
#include "core/query/body_query.h"
#include "server/kinds/kinds.h"

namespace clearance::server {
namespace {

struct IntersectionRows {
  using Answer = IntersectionAnswer;
  static constexpr std::size_t kMostAtOnce = kIntersectionsAtOnce;

  const IntersectionQuestions& questions;
  const ShapeTable& table;
  const Columns& columns;

  AskedIntersection Asked(std::uint32_t row) const {
    return {AskedPairOf(table, questions.pairs, row), {.exact = questions.exact}};
  }

  void Ask(absl::Span<const std::uint32_t> rows, absl::Span<WorkBudget> budgets,
           absl::Span<IntersectionAnswer> answers) const {
    absl::InlinedVector<AskedIntersection, kMostAtOnce> asked;
    absl::InlinedVector<BodyIntersectionQuestion, kMostAtOnce> asked_of_core;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const AskedIntersection& one = asked.emplace_back(Asked(rows[k]));
      asked_of_core.push_back({one.pair.PosedA(), one.pair.PosedB(), one.options});
      asked_of_core.back().options.budget = &budgets[k];
    }
    Intersections(asked_of_core, answers);
  }

  // An exact decision takes long: then one at a time.
  std::uint64_t Expected(std::uint32_t row) const {
    if (questions.exact) return kVerticesADearRow;
    return WorkOf(table, questions.pairs, row).Expected();
  }

  std::uint64_t Scanned(const IntersectionAnswer& answer, std::uint32_t row) const {
    const std::uint64_t exact = questions.exact ? kVerticesAnExactRow : 0;
    return exact + WorkOf(table, questions.pairs, row).Scanned(answer.iterations);
  }

  void Skip(std::uint32_t) const {}

  void Put(const IntersectionAnswer& answer, std::uint32_t i) const {
    PutNumber(columns.lower_bounds, i, answer.bracket.lower);
    PutNumber(columns.upper_bounds, i, answer.bracket.upper);
    PutNumber(columns.iterations, i, answer.iterations);
  }
};

}  // namespace

std::vector<RowFault> FindFaults(const IntersectionQuestions& questions, const ShapeTable& table) {
  return FindFaultsOf(questions.pairs.count, [&](const RowCheck& check) {
    return CheckPair(check, questions.pairs, table);
  });
}

std::uint32_t AnswerRows(const IntersectionQuestions& questions, const Work& work,
                         const Columns& columns) {
  return RowLoop(work, IntersectionRows{questions, work.table, columns}).Run();
}

}  // namespace clearance::server
