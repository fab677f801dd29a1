// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "core/query/least_lower.h"
#include "core/scene/scene_query.h"
#include "core/scene/scratch.h"

namespace clearance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// So many candidates give a distance that rules out most of the others.
constexpr std::size_t kFirstChunk = 8;

auto RankOf(const IdPair& ids, const DistanceAnswer& answer) {
  return std::tuple(answer.bracket.upper, ids.a, ids.b, ids.is_self);
}

// The nearest pairs come first, so that what they tell rules out the rest: shows keep(candidate,
// answer) every pair that is no farther apart than `limit()`, a distance that keep may bring
// nearer, until the budget has ended.
// Work tells who is asked, how and where.
struct Work {
  const Pairs& pairs;
  const MinimumDistanceOptions& options;
  SceneScratch::Parts* scratch;
  SceneCounters* counters;
};
template <class Limit, class Keep>
void VisitByDistance(const Work& work, const Limit& limit, const Keep& keep) {
  const Search<FloatBox> search = {work.pairs,
                                   StandingProbes(work.pairs, Margins::kIgnored, work.scratch),
                                   &work.scratch->queue, work.counters};
  const auto reach_of = [&] { return RoundUpToFloat(std::fmax(limit(), 0)); };
  float reach = reach_of();
  const GroupLimits limits = {.size = kCandidatesAtOnce,
                              .distances = work.options.exact ? kDistancesAnExactPair : 1};
  const auto ask = [&](absl::Span<const Candidate> chunk) {
    while (!chunk.empty()) {
      if (chunk.front().bound > reach) return false;
      const Group group = TakeGroup(work.pairs, limits, &chunk);
      if (!work.pairs.Take(group.cost)) return false;
      const DistanceOptions asked = {.max_distance = std::fmax(limit(), 0),
                                     .tolerance = work.options.tolerance,
                                     .exact = work.options.exact};
      const absl::Span<const DistanceAnswer> answers =
          AskDistances(work.pairs, group.candidates, asked, work.scratch);
      work.counters->exact += answers.size();
      if (work.pairs.has_ended()) return false;
      for (std::size_t i = 0; i < answers.size(); ++i) {
        if (answers[i].state != State::kBeyond) keep(group.candidates[i], answers[i]);
      }
      reach = reach_of();
    }
    return true;
  };
  ForEachChunk(search, {CandidateOrder::kByBound, kFirstChunk}, &reach, ask);
}

// The answer of the whole, pair by pair. A pair that was left out is farther apart than the least
// upper bound: it has neither end of the bracket, and is apart or less deep.
class Whole {
 public:
  explicit Whole(double max_distance) : max_distance_(max_distance) {
    answer_.distance.state = State::kBeyond;
    answer_.distance.bracket = {max_distance, kInfinity};
  }

  // Nothing farther than this matters.
  double Limit() const { return std::fmin(max_distance_, answer_.distance.bracket.upper); }

  void Add(const Candidate& candidate, const DistanceAnswer& answer) {
    AddState(answer);
    lower_.Add(answer);
    if (answer_.has_pair &&
        RankOf(candidate.ids, answer) >= RankOf(answer_.pair, answer_.distance)) {
      return;
    }
    answer_.has_pair = true;
    answer_.pair = candidate.ids;
    answer_.distance = answer;
  }

  // The least lower bound so far; infinite without a pair.
  double lower() const { return lower_.bound(); }

  MinimumDistanceAnswer Answer() const {
    MinimumDistanceAnswer answer = answer_;
    if (!answer.has_pair) return answer;
    answer.distance.state = state_;
    answer.distance.reason = UndecidedReason::kNone;
    const bool is_open = undecided_lower_ <= answer.distance.bracket.upper;
    if (is_open && state_ != State::kPenetrating) {
      answer.distance.state = State::kUndecided;
      answer.distance.reason = reason_;
    }
    lower_.PutInto(&answer.distance);
    return answer;
  }

 private:
  void AddState(const DistanceAnswer& answer) {
    if (answer.state == State::kUndecided) {
      if (answer.bracket.lower < undecided_lower_) reason_ = answer.reason;
      undecided_lower_ = std::fmin(undecided_lower_, answer.bracket.lower);
    } else if (answer.state == State::kPenetrating ||
               (answer.state == State::kTouching && state_ != State::kPenetrating)) {
      state_ = answer.state;
    }
  }

  const double max_distance_;
  MinimumDistanceAnswer answer_;
  State state_ = State::kSeparated;  // of the pairs that were decided
  double undecided_lower_ = kInfinity;
  UndecidedReason reason_ = UndecidedReason::kNone;
  LeastLower lower_;
};

// Or the budget has ended.
bool HasEnabledPair(const Pairs& self) {
  if (!self.asks_self()) return false;
  for (std::size_t j = 1; j < self.size(); ++j) {
    if (!self.Spend(kVerticesACandidate * j)) return true;
    for (std::size_t i = 0; i < j; ++i) {
      if (self.WithSelf(i, j)) return true;
    }
  }
  return false;
}

}  // namespace

// The query's own pairs are asked first and by themselves: what is proved of them counts half, and
// must not depend on how near the scene is.
MinimumDistanceAnswer MinimumDistance(const SceneQuery& query,
                                      const MinimumDistanceOptions& options,
                                      SceneScratch* scratch) {
  SceneScratch::Parts* const parts = &scratch->parts();
  Whole whole(options.max_distance);
  SceneCounters counters;
  const auto limit = [&] { return whole.Limit(); };
  const auto keep = [&](const Candidate& candidate, const DistanceAnswer& answer) {
    whole.Add(candidate, answer);
  };
  double radius = options.max_distance;
  SceneQuery self = query;
  self.pair_scope = SceneQuery::PairScope::kSelf;
  if (query.pair_scope != SceneQuery::PairScope::kScene && HasEnabledPair(Pairs(self))) {
    VisitByDistance({Pairs(self), options, parts, &counters}, limit, keep);
    radius = std::fmin(whole.lower(), options.max_distance) / 2;
  }
  if (query.pair_scope != SceneQuery::PairScope::kSelf) {
    SceneQuery scene = query;
    scene.pair_scope = SceneQuery::PairScope::kScene;
    VisitByDistance({Pairs(scene), options, parts, &counters}, limit,
                    [&](const Candidate& candidate, const DistanceAnswer& answer) {
                      whole.Add(candidate, answer);
                      radius = std::fmin(radius, answer.bracket.lower);
                    });
  }
  MinimumDistanceAnswer answer = whole.Answer();
  if (const Pairs pairs(query); pairs.has_ended()) {
    answer = {};
    answer.distance.reason = pairs.reason();
  }
  const State state = answer.distance.state;
  if (state == State::kSeparated || state == State::kBeyond) answer.free_radius = radius;
  answer.counters = counters;
  return answer;
}

NearestAnswer Nearest(const SceneQuery& query, const MinimumDistanceOptions& options,
                      absl::Span<PairDistance> nearest, SceneScratch* scratch) {
  if (nearest.empty()) return {};
  std::size_t found = 0;
  SceneCounters counters;
  const auto limit = [&] {
    const bool is_full = found == nearest.size();
    return is_full ? std::fmin(options.max_distance, nearest.back().distance.bracket.upper)
                   : options.max_distance;
  };
  const auto is_nearer = [](const PairDistance& x, const PairDistance& y) {
    return RankOf(x.pair, x.distance) < RankOf(y.pair, y.distance);
  };
  VisitByDistance({Pairs(query), options, &scratch->parts(), &counters}, limit,
                  [&](const Candidate& candidate, const DistanceAnswer& answer) {
                    const PairDistance next = {candidate.ids, answer};
                    PairDistance* const end = nearest.data() + found;
                    PairDistance* const place =
                        std::upper_bound(nearest.data(), end, next, is_nearer);
                    if (found == nearest.size()) {
                      if (place == end) return;
                      std::move_backward(place, end - 1, end);
                    } else {
                      std::move_backward(place, end, end + 1);
                      ++found;
                    }
                    *place = next;
                  });
  return {found, counters};
}

void MinimumDistanceOfConfigurations(const Configurations& configurations,
                                     const MinimumDistanceOptions& options,
                                     absl::Span<MinimumDistanceAnswer> answers,
                                     SceneScratch* scratch) {
  SceneQuery one = configurations.query;
  const std::size_t size = one.bodies.size();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    one.poses = configurations.poses.subspan(i * size, size);
    answers[i] = MinimumDistance(one, options, scratch);
  }
}

}  // namespace clearance
