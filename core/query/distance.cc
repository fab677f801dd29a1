// SPDX-License-Identifier: Apache-2.0

#include "core/query/distance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>

#include "core/math/assert.h"
#include "core/math/power_of_two.h"
#include "core/math/rotation.h"
#include "core/math/rounding.h"
#include "core/math/tolerance.h"
#include "core/narrow/box_projection.h"
#include "core/narrow/box_sat.h"
#include "core/narrow/core_distance.h"
#include "core/narrow/placement.h"
#include "core/narrow/static_vector.h"
#include "core/narrow/uninitialized.h"
#include "core/query/closest_features_batch.h"
#include "core/query/exact_decision.h"
#include "core/query/pair_solver.h"
#include "core/support/prefetch.h"

namespace clearance {
namespace {

// Units. There, unlike in metres, no search's bounds are rounded to the least doubles, so that all
// searches decide alike whether they are beyond it.
double MaxDistance(const ShapePair& pair, const DistanceOptions& options) {
  return ScaleUp(options.max_distance, -pair.exponent);
}

CoreLimits LimitsOf(const ShapePair& pair, const DistanceOptions& options) {
  const DoubleDouble radii = pair.radius_sum;
  CoreLimits limits = LimitsFor(pair, 0.0);
  if (std::isfinite(options.max_distance)) {
    const double limit = RoundUp(radii + DoubleDouble(MaxDistance(pair, options)));
    limits.stop_above = limit + kBeyondGuard * (limits.size_sum + limit);
  }
  if (options.tolerance > 0) {
    limits.good_enough = std::max(limits.good_enough, ScaleDown(options.tolerance, -pair.exponent));
  }
  limits.wants_depth = true;
  limits.depth_proof = options.depth_proof;
  return limits;
}

void SetPoints(const PosedPair& posed, const PosedShape& a, const CoreAnswer& core,
               DistanceAnswer* answer) {
  const ShapePair& pair = posed.pair();
  const Mat3<double> R_WA = posed.axes_a();
  const Vec3d core_point = Scaled(core.witness.p_A, pair.exponent) + a.shape.center();
  answer->n_AB = Normalized(R_WA * core.n_A);
  answer->normal_is_unique = core.normal_is_unique;
  answer->p_AoA = LocalOrigin(a) + R_WA * core_point + a.shape.radius() * answer->n_AB;
  if (pair.is_curved() && core.kind == CoreAnswer::Kind::kSeparated) {
    // A smooth body's closest point is a point of the body sooner than it is along the normal.
    const double radii = a.shape.radius() + pair.b.radius();
    answer->p_AoB =
        answer->p_AoA - R_WA * Scaled(core.witness.w_A, pair.exponent) - radii * answer->n_AB;
  } else {
    answer->p_AoB = answer->p_AoA + answer->distance * answer->n_AB;
  }
  answer->p_WA = a.pose.p_WS + answer->p_AoA;
  answer->p_WB = a.pose.p_WS + answer->p_AoB;
}

// The caller's vertex pairs; none if there are none to start from.
VertexPairs StartOf(const ShapePair& pair, const DistanceOptions& options) {
  VertexPairs start;
  if (options.start == nullptr || pair.is_curved()) return start;
  start.size = std::min(options.start->size, 4);
  for (int i = 0; i < start.size; ++i) {
    start.a[i] = options.start->vertices_a[i];
    start.b[i] = options.start->vertices_b[i];
  }
  return start;
}

CoreAnswer Solve(PosedPair& posed, const CoreLimits& limits, const DistanceOptions& options) {
  if (options.tolerance > 0) return posed.Solve(limits);
  const VertexPairs start = StartOf(posed.pair(), options);
  return start.size > 0 ? posed.SolveCanonically(start, limits) : posed.SolveCanonically(limits);
}

static_assert(CoreWitness::kCapacity == Witness::kCapacity);

void SetWitness(const CoreWitness& core, Witness* witness) {
  witness->size = core.size;
  for (int i = 0; i < core.size; ++i) {
    witness->vertices_a[i] = core.a[i];
    witness->vertices_b[i] = core.b[i];
    witness->weights[i] = core.weight[i];
  }
}

DistanceAnswer Beyond(const DistanceOptions& options) {
  DistanceAnswer answer;
  answer.state = State::kBeyond;
  answer.bracket = {options.max_distance, std::numeric_limits<double>::infinity()};
  return answer;
}

// True if the balls around the bodies show already that they are beyond the caller's distance.
bool IsBeyond(const CenteredPair& centered, const CoreLimits& limits) {
  if (!std::isfinite(limits.stop_above)) return false;
  CoreAnswer core;
  return centered.SetIfFar(limits, &core);
}

// Sets the bodies' answer from that of the cores.
void SetAnswer(const DistanceQuestion& question, const PosedPair& posed, const CoreAnswer& core,
               DistanceAnswer* answer) {
  const auto& [a, b, options] = question;
  const ShapePair& pair = posed.pair();
  if (HasEnded(options.budget)) {
    if (options.depth_proof != nullptr) *options.depth_proof = {};
    *answer = Ended<DistanceAnswer>(*options.budget, core.iterations);
    return;
  }
  const bool is_beyond = core.kind == CoreAnswer::Kind::kAbove ||
                         BodyBracketInUnits(pair, core).lower > MaxDistance(pair, options);
  if (is_beyond) {
    *answer = Beyond(options);
    answer->iterations = core.iterations;
    return;
  }
  std::construct_at(answer);
  answer->iterations = core.iterations;
  answer->bracket = BodyBracket(pair, core);
  const double distance = (core.distance - pair.radius_sum).hi;
  const double tolerance = ToleranceInMetres(pair, distance);
  answer->tolerance = std::max(tolerance, options.tolerance);
  Classification found = Classify(answer->bracket, answer->tolerance, core.hit_iteration_limit);
  if (options.exact) DecideAtZero(a, b, &found, &answer->bracket);
  answer->state = found.state;
  answer->reason = found.reason;
  answer->distance =
      std::fmin(std::fmax(TimesPowerOfTwo(distance, pair.exponent), answer->bracket.lower),
                answer->bracket.upper);
  SetPoints(posed, a, core, answer);
  SetWitness(core.witness, &answer->witness);
}

static_assert(kDistancesAtOnce <= PlacementRows::kMax);

// At most kDistancesAtOnce pairs, whose searches and features are computed side by side.
class Group {
 public:
  Group(absl::Span<const DistanceQuestion> questions, absl::Span<DistanceAnswer> answers)
      : questions_(questions), answers_(answers) {}

  void Answer() {
    for (std::size_t i = 0; i < kPrefetchAhead; ++i) PrefetchShapesOf(questions_, i);
    for (std::size_t i = 0; i < questions_.size(); ++i) Begin(i);
    Place();
    AnswerStarts();
    AnswerBoxes();
    AnswerGuesses();
  }

 private:
  static constexpr std::size_t kNoRow = PlacementRows::kMax;

  // A pair from when it is looked at until it is answered. Begin sets it: if there are few pairs,
  // the room of the others is not even touched.
  struct Waiting {
    Uninitialized<CenteredPair> centered;
    Uninitialized<CoreLimits> limits;
    Uninitialized<PosedPair> posed;
    std::size_t asked;  // by which question
    std::size_t row;    // of the placements; kNoRow: none
    bool is_answered;
    bool is_refused;  // the last guess of its features led to no answer
  };

  // Pairs with guesses of their closest features.
  class Round {
   public:
    explicit Round(Group* group) : group_(*group) {}

    void Add(Waiting* waiting, const VertexPairs& guess, std::uint32_t iterations) {
      const PosedPair& posed = waiting->posed.value;
      const CoreLimits& limits = waiting->limits.value;
      if (!IsForFeatureAnswers(posed.pair(), limits)) {
        waiting->is_answered = group_.Finish(*waiting, guess, iterations);
        waiting->is_refused = !waiting->is_answered;
        return;
      }
      const std::size_t i = waiting->asked;
      guessed_[static_cast<std::size_t>(tasks_.size())] = waiting;
      new (tasks_.AppendRoom())
          FeatureTask{&posed, &limits,    group_.questions_[i].options.max_distance,
                      guess,  iterations, &group_.answers_[i]};
    }

    void Answer() {
      const auto count = static_cast<std::size_t>(tasks_.size());
      if (count == 0) return;
      std::array<FeatureOutcome, kDistancesAtOnce> outcomes;
      AnswerFromFeatures({&tasks_[0], count}, {outcomes.data(), count});
      for (std::size_t k = 0; k < count; ++k) {
        guessed_[k]->is_answered = outcomes[k] == FeatureOutcome::kAnswered;
        guessed_[k]->is_refused = outcomes[k] == FeatureOutcome::kRefused;
      }
    }

   private:
    Group& group_;
    std::array<Waiting*, kDistancesAtOnce> guessed_;
    StaticVector<FeatureTask, static_cast<int>(kDistancesAtOnce)> tasks_;
  };

  // Answers the pair if the balls around the bodies do; otherwise it waits.
  void Begin(std::size_t i) {
    const auto& [a, b, options] = questions_[i];
    PrefetchShapesOf(questions_, i + kPrefetchAhead);
    PrefetchSurface(a.shape);
    PrefetchSurface(b.shape);
    Prefetch<Use::kWrite>(answers_[i]);
    if (options.depth_proof != nullptr) *options.depth_proof = {};
    Waiting& waiting = waiting_[waiting_count_];
    const CenteredPair& centered =
        *std::construct_at(&waiting.centered.value, a, b, PacerOf(options.budget));
    // Construct in place: a copy followed by a wider load defeats store-to-load forwarding.
    const CoreLimits& limits =
        *new (&waiting.limits.value) CoreLimits(LimitsOf(centered.pair, options));
    if (IsBeyond(centered, limits)) {
      answers_[i] = Beyond(options);
      return;
    }
    waiting.asked = i;
    waiting.row =
        PlacementRows::IsFor(a, b) ? rows_.Add(centered.pair, a, b, centered.offset) : kNoRow;
    waiting.is_answered = false;
    waiting.is_refused = false;
    ++waiting_count_;
  }

  // Places the pairs, then answers those that no guess helps.
  void Place() {
    rows_.Place();
    for (std::size_t k = 0; k < waiting_count_; ++k) {
      Waiting& waiting = waiting_[k];
      const CenteredPair& centered = waiting.centered.value;
      PosedPair& posed = waiting.posed.value;
      if (waiting.row == kNoRow) {
        std::construct_at(&posed, centered);
      } else {
        std::construct_at(&posed, centered, rows_, waiting.row);
      }
      const DistanceOptions& options = questions_[waiting.asked].options;
      if (!posed.pair().is_curved() && !(options.tolerance > 0)) continue;
      Put(waiting.asked, posed, Solve(posed, waiting.limits.value, options));
      waiting.is_answered = true;
    }
  }

  // Answers pairs whose closest features are where the caller says.
  void AnswerStarts() {
    Round round(this);
    for (std::size_t k = 0; k < waiting_count_; ++k) {
      const DistanceOptions& options = questions_[waiting_[k].asked].options;
      if (options.start == nullptr || waiting_[k].is_answered) continue;
      const VertexPairs start = StartOf(waiting_[k].posed.value.pair(), options);
      if (start.size > 0) round.Add(&waiting_[k], start, 0);
    }
    round.Answer();
  }

  // Pairs with guesses of where they are nearest.
  struct Guessed {
    std::array<Waiting*, kDistancesAtOnce> waiting;
    StaticVector<GuessTask, static_cast<int>(kDistancesAtOnce)> tasks;
    StaticVector<FeatureGuess, static_cast<int>(kDistancesAtOnce)> guesses;

    std::size_t size() const { return static_cast<std::size_t>(tasks.size()); }
    void Add(Waiting* one) {
      waiting[size()] = one;
      tasks.Append({&one->posed.value.difference(), one->limits.value.stop_above});
      guesses.Append({});
    }
    absl::Span<const GuessTask> all_tasks() const { return {tasks.data(), size()}; }
    absl::Span<FeatureGuess> all_guesses() { return {&guesses[0], size()}; }
  };

  void AnswerNearest(const Guessed& guessed) {
    Round round(this);
    for (int k = 0; k < guessed.tasks.size(); ++k) {
      const FeatureGuess& guess = guessed.guesses[k];
      if (guess.end != FeatureGuess::End::kNearest) continue;
      round.Add(guessed.waiting[static_cast<std::size_t>(k)], guess.pairs, guess.iterations);
    }
    round.Answer();
  }

  // Answers boxes: a few rounds from one to the other mostly name their features.
  void AnswerBoxes() {
    Guessed boxes;
    for (std::size_t k = 0; k < waiting_count_; ++k) {
      Waiting& waiting = waiting_[k];
      if (!waiting.is_answered && AreBoxes(waiting.posed.value.pair())) boxes.Add(&waiting);
    }
    if (boxes.size() == 0) return;
    ProjectBoxes(boxes.all_tasks(), boxes.all_guesses());
    AnswerNearest(boxes);
  }

  // Answers the others, by a search that names the features.
  void AnswerGuesses() {
    Guessed searched;
    for (std::size_t k = 0; k < waiting_count_; ++k) {
      if (!waiting_[k].is_answered) searched.Add(&waiting_[k]);
    }
    if (searched.size() == 0) return;
    GjkBatch(searched.all_tasks(), searched.all_guesses());
    AnswerNearest(searched);
    FindBoxDepths(searched);
    for (int k = 0; k < searched.tasks.size(); ++k) {
      Waiting* const waiting = searched.waiting[static_cast<std::size_t>(k)];
      if (!waiting->is_answered) SolveFrom(searched.guesses[k], waiting);
    }
  }

  // Finds the depths of boxes that overlap, side by side.
  void FindBoxDepths(const Guessed& searched) {
    StaticVector<BoxTask, static_cast<int>(kDistancesAtOnce)> tasks;
    for (std::size_t k = 0; k < searched.size(); ++k) {
      Waiting& waiting = *searched.waiting[k];
      const PosedPair& posed = waiting.posed.value;
      const FeatureGuess::End end = searched.guesses[static_cast<int>(k)].end;
      if (end != FeatureGuess::End::kEncloses || !AreBoxes(posed.pair())) continue;
      auto* const depth = new (box_depths_.AppendRoom()) Penetration;
      waiting.limits.value.box_depth = depth;
      tasks.Append({&posed.difference(), depth});
    }
    if (tasks.size() > 0) {
      FindBoxPenetrations({&tasks[0], static_cast<std::size_t>(tasks.size())});
    }
  }

  // False if the closest features are not proved to be these.
  bool Finish(const Waiting& waiting, const VertexPairs& guess, std::uint32_t iterations) {
    const PosedPair& posed = waiting.posed.value;
    if (!posed.Finish(guess, waiting.limits.value, &core_)) return false;
    core_.iterations = iterations;
    Put(waiting.asked, posed, core_);
    return true;
  }

  void SolveFrom(const FeatureGuess& guess, Waiting* waiting) {
    PosedPair& posed = waiting->posed.value;
    const CoreLimits& limits = waiting->limits.value;
    const bool may_finish = guess.end == FeatureGuess::End::kNearest && !waiting->is_refused;
    if (may_finish && Finish(*waiting, guess.pairs, guess.iterations)) return;
    posed.SolveWithoutFeatures(guess, limits, &core_);
    Put(waiting->asked, posed, core_);
  }

  void Put(std::size_t i, const PosedPair& posed, const CoreAnswer& core) {
    SetAnswer(questions_[i], posed, core, &answers_[i]);
  }

  PlacementRows rows_;
  std::size_t waiting_count_ = 0;
  const absl::Span<const DistanceQuestion> questions_;
  const absl::Span<DistanceAnswer> answers_;
  CoreAnswer core_;  // of one pair after the other
  StaticVector<Penetration, static_cast<int>(kDistancesAtOnce)> box_depths_;
  std::array<Waiting, kDistancesAtOnce> waiting_;
};

}  // namespace

bool IsRepresentable(double bounding_radius, const Pose& pose) {
  const double reach = LargestCoordinate(pose.p_WS) + bounding_radius;
  return std::isfinite(8 * reach);  // two of these, and their distance, fit into doubles
}

DistanceAnswer Distance(const PosedShape& a, const PosedShape& b, const DistanceOptions& options) {
  if (options.depth_proof != nullptr) *options.depth_proof = {};
  const CenteredPair centered(a, b, PacerOf(options.budget));
  const CoreLimits limits = LimitsOf(centered.pair, options);
  if (IsBeyond(centered, limits)) return Beyond(options);
  PosedPair posed(centered);
  DistanceAnswer answer;
  SetAnswer({a, b, options}, posed, Solve(posed, limits, options), &answer);
  return answer;
}

void Distances(absl::Span<const DistanceQuestion> questions, absl::Span<DistanceAnswer> answers) {
  CLEARANCE_ASSERT(questions.size() == answers.size());
  for (std::size_t first = 0; first < questions.size(); first += kDistancesAtOnce) {
    Group(questions.subspan(first, kDistancesAtOnce), answers.subspan(first, kDistancesAtOnce))
        .Answer();
  }
}

}  // namespace clearance
