// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/math/rounding.h"
#include "core/scene/scene_query.h"
#include "core/scene/scratch.h"

namespace clearance {
namespace {

// Without a margin.
Verdict VerdictOf(const IntersectionAnswer& answer, double /*margin*/) {
  if (answer.state == State::kSeparated) return Verdict::kFree;
  return answer.state == State::kUndecided ? Verdict::kUndecided : Verdict::kTouching;
}

// Within a margin: what was decided to the tolerance is, and so is what is proved.
Verdict VerdictOf(const DistanceAnswer& answer, double margin) {
  if (answer.state == State::kBeyond || answer.bracket.lower > margin) return Verdict::kFree;
  const bool is_known = answer.state != State::kUndecided || answer.bracket.upper <= margin;
  return is_known ? Verdict::kTouching : Verdict::kUndecided;
}

// Asked side by side: few, since one that touches may end the check.
constexpr GroupLimits kVerdictsAtOnce = {.size = 8, .distances = 1};

// The next ones that have the first one's margin.
absl::Span<const Candidate> SameMargin(absl::Span<const Candidate> candidates) {
  std::size_t size = 1;
  while (size < candidates.size() && candidates[size].margin == candidates[0].margin) ++size;
  return candidates.first(size);
}

// How far bodies may move: the least over all pairs that were shown to it.
class FreeRadius {
 public:
  void Add(const Candidate& candidate, double distance_less_margin) {
    const double share = candidate.ids.is_self ? distance_less_margin / 2 : distance_less_margin;
    least_ = std::fmin(least_, std::fmax(share, 0));
  }

  double least() const { return least_; }

  // A pair whose boxes are farther apart than this does not matter.
  float Reach() const { return RoundUpToFloat(2 * least_); }

 private:
  double least_ = std::numeric_limits<double>::infinity();
};

// One check on its way.
class Checker {
 public:
  Checker(const Asker& asker, SceneScratch* scratch)
      : pairs_(asker),
        scratch_(&scratch->parts()),
        search_{pairs_, StandingProbes(pairs_, Margins::kAround, scratch_), &scratch_->queue,
                &answer_.counters} {}
  Checker(const Checker&) = delete;  // search_ refers to what is beside it
  Checker& operator=(const Checker&) = delete;

  // Shows the sink what is not free, in order, until it returns false.
  template <class Sink>
  CheckAnswer Run(Sink&& sink) {
    const float meeting = 0;
    ForEachChunk(search_, {}, &meeting,
                 [&](absl::Span<const Candidate> chunk) { return AskChunk(chunk, sink); });
    return Answer();
  }

  // What was found, unless the pacer has stopped.
  CheckAnswer Answer() const {
    if (!pairs_.has_stopped()) return answer_;
    return {.verdict = Verdict::kUndecided,
            .reason = UndecidedReason::kBudget,
            .first = {},
            .counters = answer_.counters};
  }

  // Requires: Run found everything free.
  void FindFreeRadius() {
    FreeRadius radius;
    const float meeting = 0;
    ForEachChunk(search_, {}, &meeting,
                 [&](absl::Span<const Candidate> chunk) { return AddAsked(chunk, &radius); });
    float reach = radius.Reach();
    const auto add = [&](const Candidate& candidate) {
      if (candidate.bound <= 0) return;  // one of those above
      radius.Add(candidate, static_cast<double>(candidate.bound));
      reach = radius.Reach();
    };
    VisitSelf(search_, &reach, add);
    VisitScene(search_, &reach, add);
    answer_.free_radius = radius.least();
  }

 private:
  template <class Sink>
  bool AskChunk(absl::Span<const Candidate> chunk, Sink& sink) {
    while (!chunk.empty()) {
      absl::Span<const Candidate> alike = SameMargin(chunk);
      const Group group = TakeGroup(pairs_, kVerdictsAtOnce, &alike);
      if (!pairs_.Spend(group.cost)) return false;
      answer_.counters.exact += group.candidates.size();
      if (!Show(group.candidates, sink)) return false;
      chunk.remove_prefix(group.candidates.size());
    }
    return true;
  }

  // Asks candidates of one margin.
  template <class Sink>
  bool Show(absl::Span<const Candidate> candidates, Sink& sink) {
    const double margin = candidates[0].margin;
    if (margin == 0) {
      const auto answers = AskIntersections(pairs_, candidates, scratch_);
      return ShowAnswers(candidates, answers, sink);
    }
    const auto answers =
        AskDistances(pairs_, candidates, {.max_distance = margin, .tolerance = 0}, scratch_);
    return ShowAnswers(candidates, answers, sink);
  }

  template <class Answer, class Sink>
  bool ShowAnswers(absl::Span<const Candidate> candidates, absl::Span<const Answer> answers,
                   Sink& sink) {
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const PairVerdict found = {candidates[i].ids, VerdictOf(answers[i], candidates[i].margin),
                                 answers[i].bracket};
      if (found.verdict == Verdict::kFree) continue;
      Keep(found);
      if (!sink(found)) return false;
    }
    return true;
  }

  void Keep(const PairVerdict& found) {
    const bool is_first = answer_.verdict == Verdict::kFree;
    const bool is_stronger =
        answer_.verdict == Verdict::kUndecided && found.verdict == Verdict::kTouching;
    if (!is_first && !is_stronger) return;
    answer_.verdict = found.verdict;
    answer_.first = found;
  }

  bool AddAsked(absl::Span<const Candidate> chunk, FreeRadius* radius) {
    while (!chunk.empty()) {
      const Group group = TakeGroup(pairs_, {}, &chunk);
      if (!pairs_.Spend(group.cost)) return false;
      const absl::Span<const DistanceAnswer> answers =
          AskDistances(pairs_, group.candidates, {}, scratch_);
      answer_.counters.exact += answers.size();
      for (std::size_t i = 0; i < answers.size(); ++i) {
        const Candidate& candidate = group.candidates[i];
        radius->Add(candidate, NextDown(answers[i].bracket.lower - candidate.margin));
      }
    }
    return true;
  }

  Pairs pairs_;
  SceneScratch::Parts* scratch_;
  CheckAnswer answer_;
  Search<FloatBox> search_;
};

}  // namespace

CheckAnswer CheckScene(const Asker& asker, const CheckOptions& options, SceneScratch* scratch) {
  Checker checker(asker, scratch);
  const CheckAnswer answer =
      checker.Run([](const PairVerdict& found) { return found.verdict != Verdict::kTouching; });
  if (answer.verdict != Verdict::kFree || !options.wants_free_radius) return answer;
  checker.FindFreeRadius();
  return checker.Answer();
}

CheckAnswer CheckAll(const Asker& asker, VerdictSink sink, SceneScratch* scratch) {
  return Checker(asker, scratch).Run(sink);
}

void CheckConfigurations(const Configurations& configurations, const CheckOptions& options,
                         absl::Span<CheckAnswer> answers, SceneScratch* scratch) {
  Asker one = configurations.asker;
  const std::size_t size = one.bodies.size();
  OwnPairs& own_pairs = scratch->parts().own_pairs;
  own_pairs.Find(one);
  one.own_pairs = &own_pairs;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    one.poses = configurations.poses.subspan(i * size, size);
    answers[i] = CheckScene(one, options, scratch);
  }
}

}  // namespace clearance
