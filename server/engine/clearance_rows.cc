// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "server/engine/pair_lists.h"
#include "server/engine/scene_row_loop.h"

namespace clearance::server {
namespace {

struct ClearanceKind {
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
    if (answer.has_pair) PutPair(columns.pairs, i, answer.pair);
    if (distance.state != State::kBeyond && distance.state != State::kUndecided) {
      PutNumber(columns.distances, i, distance.distance);
      PutVector(columns.points_a, i, distance.p_WA);
      PutVector(columns.points_b, i, distance.p_WB);
      PutVector(columns.normals, i, distance.n_AB);
    }
    return {static_cast<int>(distance.state), distance.reason, answer.counters};
  }

  SceneFinding Find(std::uint32_t row, const ClearanceAnswer& answer, PairTurn turn) const {
    const Asker asker = tools.AskerOf(questions.configurations, row);
    SceneFinding finding = tools.FindingOf(questions.configurations.asked, asker);
    finding.kind = QueryKind::kClearance;
    const ClearanceOptions options = OptionsOf(row);
    finding.options = options;
    finding.look = FindContradiction(AskedClearance{asker, options}, answer, turn);
    return finding;
  }

  void PutNotReached(std::uint32_t i) const {
    PutNothingKnown(columns.lower_bounds, columns.upper_bounds, i);
  }
};

struct NearestKind {
  static constexpr int kRefused = kStateRefused;
  static constexpr int kUndecided = static_cast<int>(State::kUndecided);

  const NearestQuestions& questions;
  const NearestColumns& columns;
  const RowTools& tools;

  using Answer = NearestAnswer;

  // Returns room for the pairs, which stay until the next row.
  absl::Span<PairDistance> Room() const {
    std::vector<PairDistance>& nearest = tools.room.nearest;
    nearest.resize(std::max<std::size_t>(nearest.size(), questions.max_pairs));
    return absl::MakeSpan(nearest).first(questions.max_pairs);
  }

  NearestAnswer Ask(std::uint32_t row, std::uint32_t /*i*/) const {
    const ClearanceOptions options = {.max_distance = *questions.max_distances.at(row),
                                      .tolerance = questions.tolerance,
                                      .exact = questions.exact};
    return Nearest(tools.AskerOf(questions.configurations, row), options, Room(),
                   &tools.room.scratch);
  }

  // Pairs that were found before the budget ended need not be the nearest.
  RowSummary Put(const NearestAnswer& answer, std::uint32_t /*i*/) const {
    if (const UndecidedReason reason = tools.budget->reason(); reason != UndecidedReason::kNone)
      return {kUndecided, reason, answer.counters};
    const absl::Span<const PairDistance> nearest = Room().first(answer.size);
    for (const PairDistance& pair : nearest) ListDistance(columns.listed, pair);
    if (nearest.empty())
      return {.state = static_cast<int>(State::kBeyond), .counters = answer.counters};
    const DistanceAnswer& first = nearest.front().distance;
    return {static_cast<int>(first.state), first.reason, answer.counters};
  }

  void PutNotReached(std::uint32_t /*i*/) const {}
};

}  // namespace

std::uint32_t AnswerRows(const ClearanceQuestions& questions, const Work& work,
                         const ClearanceColumns& columns) {
  return AnswerSceneRows<ClearanceKind>(questions, work, columns);
}

std::uint32_t AnswerRows(const NearestQuestions& questions, const Work& work,
                         const NearestColumns& columns) {
  return AnswerSceneRows<NearestKind>(questions, work, columns);
}

}  // namespace clearance::server
