// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "core/math/rounding.h"
#include "core/narrow/static_vector.h"
#include "core/scene/scene_query.h"
#include "core/scene/scratch.h"

namespace clearance {
namespace {

// The verdict without a margin.
Verdict VerdictOf(const IntersectionAnswer& answer, double /*margin*/) {
  if (answer.state == State::kSeparated) return Verdict::kFree;
  return answer.state == State::kUndecided ? Verdict::kUndecided : Verdict::kTouching;
}

// The verdict within a margin: it is known if the pair was decided to the tolerance, or if it is
// proved.
Verdict VerdictOf(const DistanceAnswer& answer, double margin) {
  if (answer.state == State::kBeyond || answer.bracket.lower > margin) return Verdict::kFree;
  const bool is_known = answer.state != State::kUndecided || answer.bracket.upper <= margin;
  return is_known ? Verdict::kTouching : Verdict::kUndecided;
}

// Pairs that are asked side by side: few, since one that touches may end the check.
constexpr GroupLimits kVerdictsAtOnce = {.size = 8, .distances = 1};

// Returns the next candidates that have the first one's margin.
absl::Span<const Candidate> SameMargin(absl::Span<const Candidate> candidates) {
  std::size_t size = 1;
  while (size < candidates.size() && candidates[size].margin == candidates[0].margin) ++size;
  return candidates.first(size);
}

// How far bodies may move: the least over all pairs that were added.
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

// Merges a pair that is not free into the answer of the whole.
void Keep(const PairVerdict& found, CheckAnswer* answer) {
  const bool is_first = answer->verdict == Verdict::kFree;
  const bool is_stronger =
      answer->verdict == Verdict::kUndecided && found.verdict == Verdict::kTouching;
  if (!is_first && !is_stronger) return;
  answer->verdict = found.verdict;
  answer->first = found;
}

// Returns the answer if the budget has ended for this reason.
CheckAnswer Ended(const CheckAnswer& answer, UndecidedReason reason) {
  return {
      .verdict = Verdict::kUndecided, .reason = reason, .first = {}, .counters = answer.counters};
}

// One check in progress.
class Checker {
 public:
  Checker(const SceneQuery& query, SceneScratch* scratch)
      : pairs_(query),
        scratch_(&scratch->parts()),
        search_{pairs_, StandingProbes(pairs_, Margins::kAround, scratch_), &scratch_->queue,
                &answer_.counters} {}
  Checker(const Checker&) = delete;  // search_ refers to other members
  Checker& operator=(const Checker&) = delete;

  // Shows the sink the pairs that are not free, in order, until it returns false.
  template <class Sink>
  CheckAnswer Run(Sink&& sink) {
    const float meeting = 0;
    ForEachChunk(search_, {}, &meeting,
                 [&](absl::Span<const Candidate> chunk) { return AskChunk(chunk, sink); });
    return Answer();
  }

  // Returns the findings, unless the budget has ended.
  CheckAnswer Answer() const {
    return pairs_.has_ended() ? Ended(answer_, pairs_.reason()) : answer_;
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
      if (!pairs_.Take(group.cost)) return false;
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
    if (pairs_.has_ended()) return false;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const PairVerdict found = {candidates[i].ids, VerdictOf(answers[i], candidates[i].margin),
                                 answers[i].bracket};
      if (found.verdict == Verdict::kFree) continue;
      Keep(found, &answer_);
      if (!sink(found)) return false;
    }
    return true;
  }

  bool AddAsked(absl::Span<const Candidate> chunk, FreeRadius* radius) {
    while (!chunk.empty()) {
      const Group group = TakeGroup(pairs_, {}, &chunk);
      if (!pairs_.Take(group.cost)) return false;
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

// Checks several rows side by side, each with the result of CheckScene: the same groups of the same
// pairs in the same order, but those of all rows together. Keeps references.
class RowsChecker {
 public:
  // Requires: own pairs are found; at most kChecksAtOnce answers, whose rows begin at `first`.
  RowsChecker(const Configurations& configurations, std::size_t first, SceneScratch* scratch)
      : configurations_(configurations), first_(first), scratch_(scratch) {}

  void Run(absl::Span<CheckAnswer> answers) {
    answers_ = answers;
    waiting().clear();
    FindBoxes();
    for (std::size_t i = 0; i < answers.size(); ++i) Begin(i);
    while (IsAnyWaiting()) AskNext();
  }

 private:
  // The remaining candidates, from `next` to `end` of those that wait.
  struct Row {
    std::size_t next = 0;
    std::size_t end = 0;
  };
  struct Asked {
    std::size_t row;
    std::size_t begin;
    std::size_t size;
  };

  std::vector<Candidate>& waiting() const { return scratch_->parts().waiting; }

  SceneQuery QueryOf(std::size_t i) const {
    SceneQuery query = configurations_.query;
    query.poses = PosesOf(i, 1);
    if (!configurations_.budgets.empty()) query.budget = &configurations_.budgets[first_ + i];
    return query;
  }

  absl::Span<const Pose> PosesOf(std::size_t i, std::size_t rows) const {
    const std::size_t size = configurations_.query.bodies.size();
    return configurations_.poses.subspan((first_ + i) * size, rows * size);
  }

  // Finds the StandingProbes of all rows.
  void FindBoxes() {
    SceneScratch::Parts& parts = scratch_->parts();
    const absl::Span<const SceneBody> bodies = configurations_.query.bodies;
    const double excess = Pairs(configurations_.query).LargestExcess();
    parts.row_boxes.Clear();
    for (const SceneBody& body : bodies) parts.row_boxes.Add(*body.body, body.margin + excess);
    parts.boxes_of_rows.resize(answers_.size() * bodies.size());
    const absl::Span<FloatBox> boxes = absl::MakeSpan(parts.boxes_of_rows);
    if (!boxes.empty()) parts.row_boxes.Find(PosesOf(0, answers_.size()), boxes);
  }

  Probes<FloatBox> ProbesOf(const Pairs& pairs, std::size_t i) const {
    pairs.Spend(kVerticesACandidate * pairs.size());
    const auto boxes = absl::MakeConstSpan(scratch_->parts().boxes_of_rows)
                           .subspan(i * pairs.size(), pairs.size());
    return {boxes, boxes};
  }

  // Finds the candidates of row i, or answers it at once if these are many or have margins.
  void Begin(std::size_t i) {
    const SceneQuery query = QueryOf(i);
    const Pairs pairs(query);
    SceneScratch::Parts& parts = scratch_->parts();
    answers_[i] = {};
    const Search<FloatBox> search = {pairs, ProbesOf(pairs, i), &parts.queue,
                                     &answers_[i].counters};
    const std::size_t begin = waiting().size();
    bool is_plain = true;
    const float meeting = 0;
    ForEachChunk(search, {}, &meeting, [&](absl::Span<const Candidate> chunk) {
      is_plain = chunk.size() < CandidateQueue::kFirst && !HasMargin(chunk);
      if (is_plain) waiting().insert(waiting().end(), chunk.begin(), chunk.end());
      return false;
    });
    rows_[i] = {begin, waiting().size()};
    if (!is_plain) {
      answers_[i] = CheckScene(query, {}, scratch_);
    } else if (pairs.has_ended()) {
      answers_[i] = Ended(answers_[i], pairs.reason());
    }
  }

  static bool HasMargin(absl::Span<const Candidate> candidates) {
    return std::any_of(candidates.begin(), candidates.end(),
                       [](const Candidate& candidate) { return candidate.margin != 0; });
  }

  bool IsAnyWaiting() const {
    return std::any_of(rows_.begin(), rows_.end(),
                       [](const Row& row) { return row.next < row.end; });
  }

  // Asks the next group of each row, as many groups as there is room for.
  void AskNext() {
    StaticVector<Asked, static_cast<int>(kChecksAtOnce)> asked;
    std::vector<BodyIntersectionQuestion>& questions = scratch_->parts().sign_questions;
    questions.clear();
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      Row& row = rows_[i];
      if (row.next == row.end) continue;
      if (questions.size() + kVerdictsAtOnce.size > kIntersectionsAtOnce) break;
      const SceneQuery query = QueryOf(i);
      const Pairs pairs(query);
      absl::Span<const Candidate> left =
          absl::MakeConstSpan(waiting()).subspan(row.next, row.end - row.next);
      const Group group = TakeGroup(pairs, kVerdictsAtOnce, &left);
      if (!pairs.Take(group.cost)) {
        answers_[i] = Ended(answers_[i], pairs.reason());
        row.next = row.end;
        continue;
      }
      for (const Candidate& candidate : group.candidates)
        questions.push_back({pairs.PosedA(candidate),
                             pairs.PosedB(candidate),
                             {.separating_axis = scratch_->parts().separating_axes.Of(candidate),
                              .budget = pairs.budget()}});
      asked.Append({i, row.next, group.candidates.size()});
    }
    const absl::Span<IntersectionAnswer> answers =
        absl::MakeSpan(scratch_->parts().sign_answers).first(questions.size());
    Intersections(questions, answers);
    std::size_t first = 0;
    for (int k = 0; k < asked.size(); ++k) {
      Put(asked[k], answers.subspan(first, asked[k].size));
      first += asked[k].size;
    }
  }

  void Put(const Asked& asked, absl::Span<const IntersectionAnswer> found) {
    CheckAnswer& answer = answers_[asked.row];
    Row& row = rows_[asked.row];
    answer.counters.exact += asked.size;
    row.next += asked.size;
    // As in checks one by one, findings of a group do not count if the budget ended in it.
    const auto ended = std::find_if(found.begin(), found.end(), [](const IntersectionAnswer& one) {
      return IsOfBudget(one.reason);
    });
    if (ended != found.end()) {
      answer = Ended(answer, ended->reason);
      row.next = row.end;
      return;
    }
    for (std::size_t k = 0; k < asked.size && answer.verdict != Verdict::kTouching; ++k) {
      const Candidate& candidate = waiting()[asked.begin + k];
      const PairVerdict put = {candidate.ids, VerdictOf(found[k], 0), found[k].bracket};
      if (put.verdict != Verdict::kFree) Keep(put, &answer);
    }
    if (answer.verdict == Verdict::kTouching) row.next = row.end;
  }

  const Configurations& configurations_;
  const std::size_t first_;
  SceneScratch* const scratch_;
  absl::Span<CheckAnswer> answers_;
  std::array<Row, kChecksAtOnce> rows_ = {};
};

}  // namespace

CheckAnswer CheckScene(const SceneQuery& query, const CheckOptions& options,
                       SceneScratch* scratch) {
  Checker checker(query, scratch);
  const CheckAnswer answer =
      checker.Run([](const PairVerdict& found) { return found.verdict != Verdict::kTouching; });
  if (answer.verdict != Verdict::kFree || !options.wants_free_radius) return answer;
  checker.FindFreeRadius();
  return checker.Answer();
}

CheckAnswer CheckAll(const SceneQuery& query, VerdictSink sink, SceneScratch* scratch) {
  return Checker(query, scratch).Run(sink);
}

void CheckConfigurations(const Configurations& configurations, const CheckOptions& options,
                         absl::Span<CheckAnswer> answers, SceneScratch* scratch) {
  Configurations asked = configurations;
  if (asked.query.own_pairs == nullptr) {
    scratch->parts().own_pairs.Find(asked.query);
    asked.query.own_pairs = &scratch->parts().own_pairs;
  }
  if (!options.wants_free_radius) {
    for (std::size_t first = 0; first < answers.size(); first += kChecksAtOnce)
      RowsChecker(asked, first, scratch).Run(answers.subspan(first, kChecksAtOnce));
    return;
  }
  SceneQuery one = asked.query;
  const std::size_t size = one.bodies.size();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    one.poses = configurations.poses.subspan(i * size, size);
    answers[i] = CheckScene(one, options, scratch);
  }
}

}  // namespace clearance
