// SPDX-License-Identifier: Apache-2.0

#include "core/query/body_query.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <optional>
#include <tuple>

#include "core/math/assert.h"
#include "core/narrow/static_vector.h"
#include "core/query/least_lower.h"
#include "core/query/piece_bounds.h"
#include "core/query/whole_verdict.h"

namespace clearance {
namespace {

template <class Body>
bool IsConvexPair(const Body& a, const Body& b) {
  return !a.body.is_compound() && !b.body.is_compound();
}

// Whether a pair of pieces may still be asked.
template <class Options>
bool CanAsk(const PosedShape& a, const PosedShape& b, const Options& options) {
  if (options.budget == nullptr) return true;
  const std::uint64_t vertices = a.shape.vertex_count() + b.shape.vertex_count();
  return options.budget->Take((options.exact ? kDistancesAnExactPair : 1) *
                              VerticesOfDistance(vertices));
}

auto Rank(const DistanceAnswer& answer) {
  return std::tuple(answer.bracket.upper, answer.piece_a, answer.piece_b);
}

auto Rank(const TimeOfCollisionAnswer& answer) {
  return std::tuple(answer.t_hit, answer.t_free, answer.piece_a, answer.piece_b);
}

// Nothing that is left out here can change the answer: a pair whose lower bound exceeds the least
// upper bound has neither the least lower nor the least upper bound, and is separated or less deep.
class NearestPieces {
 public:
  NearestPieces(const PosedBody& a, const PosedBody& b, const DistanceOptions& options)
      : a_(a), b_(b), options_(options) {
    answer_.state = State::kBeyond;
    answer_.bracket = {options.max_distance, std::numeric_limits<double>::infinity()};
    if (options.depth_proof != nullptr) *options.depth_proof = {};
  }

  bool Wants(double bound) const { return bound <= Limit(); }

  bool Take(const PiecePair& pair) {
    DistanceOptions options = options_;
    options.max_distance = std::fmax(Limit(), 0);
    options.start = nullptr;  // no one pair of pieces owns it
    DepthProof proof;
    if (options_.depth_proof != nullptr) options.depth_proof = &proof;
    const PosedShape a = PieceOf(a_, pair.a), b = PieceOf(b_, pair.b);
    if (!CanAsk(a, b, options_)) return false;
    DistanceAnswer answer = Distance(a, b, options);
    iterations_ += answer.iterations;
    if (answer.state == State::kBeyond) return true;
    verdict_.Add(answer.state, answer.reason);
    lower_.Add(answer);
    answer.piece_a = pair.a;
    answer.piece_b = pair.b;
    if (answer_.state != State::kBeyond && Rank(answer) >= Rank(answer_)) return true;
    answer_ = answer;
    if (options_.depth_proof != nullptr) *options_.depth_proof = proof;
    return true;
  }

  DistanceAnswer Answer() const {
    if (HasEnded(options_.budget)) {
      if (options_.depth_proof != nullptr) *options_.depth_proof = {};
      return Ended<DistanceAnswer>(*options_.budget, iterations_);
    }
    DistanceAnswer answer = answer_;
    answer.iterations = iterations_;
    if (answer.state == State::kBeyond) return answer;
    answer.state = verdict_.state();
    answer.reason = verdict_.reason();
    lower_.PutInto(&answer);
    answer.is_piecewise = answer.state == State::kPenetrating;
    return answer;
  }

 private:
  // Nothing farther than this matters.
  double Limit() const { return std::fmin(options_.max_distance, answer_.bracket.upper); }

  const PosedBody a_;
  const PosedBody b_;
  const DistanceOptions options_;
  DistanceAnswer answer_;
  WholeVerdict verdict_;
  LeastLower lower_;
  std::uint32_t iterations_ = 0;
};

// Stops at the first proof of an overlap. Pairs that are never looked at are as far apart as their
// bounds say.
class AnyContact {
 public:
  AnyContact(const PosedBody& a, const PosedBody& b, const IntersectionOptions& options)
      : a_(a), b_(b), options_(options) {
    options_.separating_axis = nullptr;  // no one pair of pieces owns it
  }

  bool Wants(double bound) {
    least_bound_ = std::fmin(least_bound_, bound);
    if (!(bound > 0)) return true;
    verdict_.Add(State::kSeparated, UndecidedReason::kNone);
    bracket_.lower = std::fmin(bracket_.lower, bound);
    return false;
  }

  bool Take(const PiecePair& pair) {
    const PosedShape a = PieceOf(a_, pair.a), b = PieceOf(b_, pair.b);
    if (!CanAsk(a, b, options_)) return false;
    const IntersectionAnswer answer = Intersection(a, b, options_);
    iterations_ += answer.iterations;
    verdict_.Add(answer.state, answer.reason);
    bracket_ = {std::fmin(bracket_.lower, answer.bracket.lower),
                std::fmin(bracket_.upper, answer.bracket.upper)};
    return answer.state != State::kPenetrating;
  }

  IntersectionAnswer Answer() const {
    if (HasEnded(options_.budget)) return Ended<IntersectionAnswer>(*options_.budget, iterations_);
    IntersectionAnswer answer;
    answer.state = verdict_.state();
    answer.reason = verdict_.reason();
    answer.bracket = bracket_;
    // The first bound that Wants is shown is the least of all.
    if (answer.state == State::kPenetrating) {
      answer.bracket.lower = std::fmin(bracket_.lower, least_bound_);
    }
    answer.iterations = iterations_;
    return answer;
  }

 private:
  const PosedBody a_;
  const PosedBody b_;
  IntersectionOptions options_;
  WholeVerdict verdict_;
  Bracket bracket_ = {std::numeric_limits<double>::infinity(),
                      std::numeric_limits<double>::infinity()};
  double least_bound_ = std::numeric_limits<double>::infinity();
  std::uint32_t iterations_ = 0;
};

// Pairs that stay apart until the first known hit cannot change the answer.
class EarliestContact {
 public:
  EarliestContact(const MovingBody& a, const MovingBody& b, const MotionOptions& options,
                  MovingBounds* bounds)
      : a_(a), b_(b), options_(options), bounds_(bounds) {
    if (options_.proof != nullptr) *options_.proof = {};
  }

  // A proof is asked for with normals, also where balls would do.
  bool Wants(double bound) {
    is_known_free_ = bound > options_.target_distance;
    return !is_known_free_ || options_.proof != nullptr;
  }

  bool Take(const PiecePair& pair) {
    TimeOfCollisionAnswer answer = Ask(pair);
    iterations_ += answer.iterations;
    if (HasEnded(options_.budget)) return false;
    if (is_known_free_) return true;
    answer.piece_a = pair.a;
    answer.piece_b = pair.b;
    t_leave_ = std::fmax(t_leave_, answer.t_leave);
    if (answer.state == MotionState::kInitiallyOverlapping) return Overlap();
    if (answer.state == MotionState::kUndecided) KeepFirst(answer, &undecided_);
    if (answer.state == MotionState::kHit) {
      KeepFirst(answer, &hit_);
      hits_free_until_ = std::fmin(hits_free_until_, answer.t_free);
      bounds_->EndAt(hit_->t_hit);
    }
    return true;
  }

  TimeOfCollisionAnswer Answer() const {
    if (HasEnded(options_.budget)) {
      if (options_.proof != nullptr) *options_.proof = {};
      return Ended<TimeOfCollisionAnswer>(*options_.budget, iterations_);
    }
    TimeOfCollisionAnswer answer;
    answer.state = MotionState::kFree;
    answer.t_free = 1;
    answer.t_hit = 1;
    if (overlap_) {
      answer = *overlap_;
    } else if (undecided_ && undecided_->t_free < hits_free_until_) {
      answer = *undecided_;
    } else if (hit_) {
      answer = *hit_;
      answer.t_free = hits_free_until_;
    }
    answer.t_leave = std::fmin(t_leave_, answer.t_free);
    answer.iterations = iterations_;
    return answer;
  }

 private:
  using MaybeAnswer = std::optional<TimeOfCollisionAnswer>;

  static void KeepFirst(const TimeOfCollisionAnswer& answer, MaybeAnswer* first) {
    if (!*first || Rank(answer) < Rank(**first)) *first = answer;
  }

  TimeOfCollisionAnswer Ask(const PiecePair& pair) const {
    const MovingShape a = PieceOf(a_, pair.a);
    const MovingShape b = PieceOf(b_, pair.b);
    if (options_.proof == nullptr) return TimeOfCollision(a, b, options_);
    MotionProof proof;
    MotionOptions options = options_;
    options.proof = &proof;
    const TimeOfCollisionAnswer answer = TimeOfCollision(a, b, options);
    Append(proof, pair);
    // The balls know more than the proof shows.
    if (is_known_free_ && answer.state != MotionState::kFree) options_.proof->is_truncated = true;
    return answer;
  }

  void Append(const MotionProof& proof, const PiecePair& pair) const {
    MotionProof* const whole = options_.proof;
    whole->is_truncated |= proof.is_truncated;
    for (int i = 0; i < proof.size; ++i) {
      if (whole->size == MotionProof::kCapacity) {
        whole->is_truncated = true;
        return;
      }
      ProvedInterval& interval = whole->intervals[whole->size++];
      interval = proof.intervals[i];
      interval.piece_a = pair.a;
      interval.piece_b = pair.b;
    }
  }

  // One pair that cannot leave decides; the contact is that of the bodies.
  bool Overlap() {
    DistanceOptions options;
    options.budget = options_.budget;
    const DistanceAnswer contact =
        Distance(PosedBody{a_.body, a_.start}, PosedBody{b_.body, b_.start}, options);
    TimeOfCollisionAnswer& answer = overlap_.emplace();
    answer.state = MotionState::kInitiallyOverlapping;
    answer.distance = contact.distance;
    answer.p_WA = contact.p_WA;
    answer.p_WB = contact.p_WB;
    answer.n_AB = contact.n_AB;
    answer.piece_a = contact.piece_a;
    answer.piece_b = contact.piece_b;
    return false;
  }

  const MovingBody a_;
  const MovingBody b_;
  const MotionOptions options_;
  MovingBounds* const bounds_;
  MaybeAnswer overlap_;
  MaybeAnswer hit_;
  MaybeAnswer undecided_;
  double hits_free_until_ = std::numeric_limits<double>::infinity();
  double t_leave_ = 0;
  std::uint32_t iterations_ = 0;
  bool is_known_free_ = false;
};

// One at a time and many, by the kind of question.
DistanceAnswer Alone(const BodyDistanceQuestion& question) {
  return Distance(question.a, question.b, question.options);
}
IntersectionAnswer Alone(const BodyIntersectionQuestion& question) {
  return Intersection(question.a, question.b, question.options);
}
TimeOfCollisionAnswer Alone(const BodyTimeOfCollisionQuestion& question) {
  return TimeOfCollision(question.a, question.b, question.options);
}
void Together(absl::Span<const DistanceQuestion> questions, absl::Span<DistanceAnswer> answers) {
  Distances(questions, answers);
}
void Together(absl::Span<const IntersectionQuestion> questions,
              absl::Span<IntersectionAnswer> answers) {
  Intersections(questions, answers);
}
void Together(absl::Span<const TimeOfCollisionQuestion> questions,
              absl::Span<TimeOfCollisionAnswer> answers) {
  TimesOfCollision(questions, answers);
}

// At most so many: the convex pairs together.
template <class ConvexQuestion, std::size_t kMax, class BodyQuestion, class Answer>
void AnswerGroup(absl::Span<const BodyQuestion> questions, absl::Span<Answer> answers) {
  StaticVector<ConvexQuestion, static_cast<int>(kMax)> convex;
  std::array<std::size_t, kMax> place;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const BodyQuestion& question = questions[i];
    if (!IsConvexPair(question.a, question.b)) {
      answers[i] = Alone(question);
      continue;
    }
    place[static_cast<std::size_t>(convex.size())] = i;
    // Made where it stays: reading at once what was copied in halves waits for the memory.
    new (convex.AppendRoom())
        ConvexQuestion{PieceOf(question.a, 0), PieceOf(question.b, 0), question.options};
  }
  const auto count = static_cast<std::size_t>(convex.size());
  if (count == questions.size()) return Together(convex, answers);
  std::array<Answer, kMax> found;
  Together(convex, absl::MakeSpan(found).first(count));
  for (std::size_t k = 0; k < count; ++k) answers[place[k]] = found[k];
}

}  // namespace

DistanceAnswer Distance(const PosedBody& a, const PosedBody& b, const DistanceOptions& options) {
  if (IsConvexPair(a, b)) return Distance(PieceOf(a, 0), PieceOf(b, 0), options);
  NearestPieces nearest(a, b, options);
  VisitPairs(StandingBounds(a, b), options.budget, &nearest);
  return nearest.Answer();
}

void Distances(absl::Span<const BodyDistanceQuestion> questions,
               absl::Span<DistanceAnswer> answers) {
  CLEARANCE_ASSERT(questions.size() == answers.size());
  for (std::size_t first = 0; first < questions.size(); first += kDistancesAtOnce) {
    AnswerGroup<DistanceQuestion, kDistancesAtOnce>(questions.subspan(first, kDistancesAtOnce),
                                                    answers.subspan(first, kDistancesAtOnce));
  }
}

IntersectionAnswer Intersection(const PosedBody& a, const PosedBody& b,
                                const IntersectionOptions& options) {
  if (IsConvexPair(a, b)) return Intersection(PieceOf(a, 0), PieceOf(b, 0), options);
  AnyContact contact(a, b, options);
  VisitPairs(StandingBounds(a, b), options.budget, &contact);
  return contact.Answer();
}

void Intersections(absl::Span<const BodyIntersectionQuestion> questions,
                   absl::Span<IntersectionAnswer> answers) {
  CLEARANCE_ASSERT(questions.size() == answers.size());
  for (std::size_t first = 0; first < questions.size(); first += kIntersectionsAtOnce) {
    AnswerGroup<IntersectionQuestion, kIntersectionsAtOnce>(
        questions.subspan(first, kIntersectionsAtOnce),
        answers.subspan(first, kIntersectionsAtOnce));
  }
}

TimeOfCollisionAnswer TimeOfCollision(const MovingBody& a, const MovingBody& b,
                                      const MotionOptions& options) {
  if (IsConvexPair(a, b)) return TimeOfCollision(PieceOf(a, 0), PieceOf(b, 0), options);
  MovingBounds bounds(a, b);
  EarliestContact contact(a, b, options, &bounds);
  VisitPairs(bounds, options.budget, &contact);
  return contact.Answer();
}

void TimesOfCollision(absl::Span<const BodyTimeOfCollisionQuestion> questions,
                      absl::Span<TimeOfCollisionAnswer> answers) {
  CLEARANCE_ASSERT(questions.size() == answers.size());
  for (std::size_t first = 0; first < questions.size(); first += kTimesOfCollisionAtOnce) {
    AnswerGroup<TimeOfCollisionQuestion, kTimesOfCollisionAtOnce>(
        questions.subspan(first, kTimesOfCollisionAtOnce),
        answers.subspan(first, kTimesOfCollisionAtOnce));
  }
}

}  // namespace clearance
