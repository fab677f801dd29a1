// SPDX-License-Identifier: Apache-2.0

#include "core/scene/scratch.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/math/assert.h"
#include "core/scene/body_box.h"
#include "core/shape/make_shape.h"

namespace clearance {

SceneScratch::Parts::Parts()
    : point{0, MakeBody(std::get<ConvexShapePtr>(MakePoint(0))), {}, {}, 0} {
  questions.reserve(kCandidatesAtOnce);
  answers.resize(kCandidatesAtOnce);
  sign_questions.reserve(kIntersectionsAtOnce);
  sign_answers.resize(kIntersectionsAtOnce);
}

SceneScratch::SceneScratch() : parts_(std::make_unique<Parts>()) {}
SceneScratch::~SceneScratch() = default;
SceneScratch::SceneScratch(SceneScratch&&) noexcept = default;
SceneScratch& SceneScratch::operator=(SceneScratch&&) noexcept = default;

Probes<FloatBox> StandingProbes(const Pairs& pairs, Margins margins, SceneScratch::Parts* scratch) {
  const double excess = pairs.LargestExcess();
  scratch->boxes.clear();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const SceneBody& body = pairs.body(i);
    const double margin = margins == Margins::kAround ? body.margin + excess : 0;
    scratch->boxes.push_back(Rounded(BoxAt(*body.body, pairs.pose(i), margin)));
  }
  pairs.Spend(kVerticesACandidate * pairs.size());
  return {scratch->boxes, scratch->boxes};
}

Group TakeGroup(const Pairs& pairs, const GroupLimits& limits, absl::Span<const Candidate>* from) {
  CLEARANCE_ASSERT(!from->empty());
  Group group;
  Pacer::Cost cost;
  std::size_t size = 0;
  while (size < std::min(from->size(), limits.size) && !cost.IsHigh()) {
    const std::uint64_t next = pairs.CostOf((*from)[size++], limits.distances);
    cost.Add(next);
    group.cost += pairs.OwnCostOf((*from)[size - 1], limits.distances);
  }
  group.candidates = from->first(size);
  from->remove_prefix(size);
  return group;
}

absl::Span<const DistanceAnswer> AskDistances(const Pairs& pairs,
                                              absl::Span<const Candidate> candidates,
                                              const DistanceOptions& options,
                                              SceneScratch::Parts* scratch) {
  scratch->questions.clear();
  for (const Candidate& candidate : candidates) {
    scratch->questions.push_back({pairs.PosedA(candidate), pairs.PosedB(candidate), options});
    scratch->questions.back().options.budget = pairs.budget();
  }
  const absl::Span<DistanceAnswer> answers =
      absl::MakeSpan(scratch->answers).first(candidates.size());
  Distances(scratch->questions, answers);
  return answers;
}

absl::Span<const IntersectionAnswer> AskIntersections(const Pairs& pairs,
                                                      absl::Span<const Candidate> candidates,
                                                      SceneScratch::Parts* scratch) {
  scratch->sign_questions.clear();
  for (const Candidate& candidate : candidates) {
    scratch->sign_questions.push_back(
        {pairs.PosedA(candidate),
         pairs.PosedB(candidate),
         {.separating_axis = scratch->separating_axes.Of(candidate), .budget = pairs.budget()}});
  }
  const absl::Span<IntersectionAnswer> answers =
      absl::MakeSpan(scratch->sign_answers).first(candidates.size());
  Intersections(scratch->sign_questions, answers);
  return answers;
}

}  // namespace clearance
