// SPDX-License-Identifier: Apache-2.0

#include "core/query/intersection.h"

#include <array>
#include <cstddef>

#include "core/math/assert.h"
#include "core/math/rounding.h"
#include "core/narrow/separation_bounds.h"
#include "core/query/exact_decision.h"
#include "core/query/pair_solver.h"

namespace clearance {
namespace {

CoreLimits LimitsOfSign(const ShapePair& pair) {
  CoreLimits limits = LimitsFor(pair, 0.0);
  limits.stop_above = RoundUp(pair.radius_sum);
  limits.stop_below = RoundDown(pair.radius_sum);
  return limits;
}

IntersectionAnswer Searched(const IntersectionQuestion& question) {
  const auto& [a, b, options] = question;
  const CenteredPair centered(a, b, PacerOf(options.budget));
  const ShapePair& pair = centered.pair;
  const CoreLimits limits = LimitsOfSign(pair);
  CoreAnswer core;
  if (!centered.SetIfFar(limits, &core)) core = PosedPair(centered).Solve(limits);
  if (HasEnded(options.budget)) return Ended<IntersectionAnswer>(*options.budget, core.iterations);
  IntersectionAnswer answer;
  answer.iterations = core.iterations;
  answer.bracket = BodyBracket(pair, core);
  const double distance = (core.distance - pair.radius_sum).hi;
  const double tolerance = ToleranceInMetres(pair, distance);
  Classification found = Classify(answer.bracket, tolerance, core.hit_iteration_limit);
  if (options.exact) DecideAtZero(a, b, &found, &answer.bracket);
  answer.state = found.state;
  answer.reason = found.reason;
  return answer;
}

// Returns the answer that the bounds settle, and otherwise that of the search.
IntersectionAnswer Answered(const IntersectionQuestion& question, const SeparationBounds& bounds) {
  if (!bounds.IsSettled()) return Searched(question);
  IntersectionAnswer answer;
  answer.iterations = bounds.iterations;
  answer.state = bounds.lower > 0 ? State::kSeparated : State::kPenetrating;
  answer.bracket = {bounds.lower, bounds.upper};
  return answer;
}

bool IsBox(const PosedShape& posed) { return posed.shape.box_corners().is_box; }

// The path that a pair takes first.
enum class Road { kBoxes, kHulls, kSearch };
Road RoadOf(const PosedShape& a, const PosedShape& b) {
  const bool is_curved = a.shape.is_curved() || b.shape.is_curved();
  if (is_curved || !IsInPlace(a.local) || !IsInPlace(b.local)) return Road::kSearch;
  return IsBox(a) && IsBox(b) ? Road::kBoxes : Road::kHulls;
}

// At most kIntersectionsAtOnce pairs: those on the same path go side by side.
class SignGroup {
 public:
  SignGroup(absl::Span<const IntersectionQuestion> questions,
            absl::Span<IntersectionAnswer> answers)
      : questions_(questions), answers_(answers) {}

  void Answer() {
    for (std::size_t i = 0; i < questions_.size(); ++i) {
      const Road road = RoadOf(questions_[i].a, questions_[i].b);
      if (road == Road::kBoxes) boxes_.Add(i, questions_[i]);
      if (road == Road::kHulls) hulls_.Add(i, questions_[i]);
      if (road == Road::kSearch) answers_[i] = Searched(questions_[i]);
    }
    Put(boxes_, BoundBoxes);
    Put(hulls_, BoundHulls);
  }

 private:
  struct Side {
    std::array<SeparationPair, kIntersectionsAtOnce> pairs;
    std::array<std::size_t, kIntersectionsAtOnce> asked;  // by which question
    std::size_t count = 0;

    void Add(std::size_t i, const IntersectionQuestion& question) {
      asked[count] = i;
      pairs[count++] = {&question.a, &question.b, question.options.separating_axis};
    }
  };

  template <class Bound>
  void Put(const Side& side, const Bound& bound) {
    if (side.count == 0) return;
    std::array<SeparationBounds, kIntersectionsAtOnce> bounds;
    bound({side.pairs.data(), side.count}, {bounds.data(), side.count});
    for (std::size_t k = 0; k < side.count; ++k) {
      answers_[side.asked[k]] = Answered(questions_[side.asked[k]], bounds[k]);
    }
  }

  const absl::Span<const IntersectionQuestion> questions_;
  const absl::Span<IntersectionAnswer> answers_;
  Side boxes_;
  Side hulls_;
};

}  // namespace

IntersectionAnswer Intersection(const PosedShape& a, const PosedShape& b,
                                const IntersectionOptions& options) {
  const IntersectionQuestion question = {a, b, options};
  const Road road = RoadOf(a, b);
  if (road == Road::kSearch) return Searched(question);
  const SeparationPair pair = {&a, &b, options.separating_axis};
  SeparationBounds bounds;
  (road == Road::kBoxes ? BoundBoxes : BoundHulls)({&pair, 1}, {&bounds, 1});
  return Answered(question, bounds);
}

void Intersections(absl::Span<const IntersectionQuestion> questions,
                   absl::Span<IntersectionAnswer> answers) {
  CLEARANCE_ASSERT(questions.size() == answers.size());
  for (std::size_t first = 0; first < questions.size(); first += kIntersectionsAtOnce) {
    SignGroup(questions.subspan(first, kIntersectionsAtOnce),
              answers.subspan(first, kIntersectionsAtOnce))
        .Answer();
  }
}

}  // namespace clearance
