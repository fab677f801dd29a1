// SPDX-License-Identifier: Apache-2.0

#include "core/query/distance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include "core/math/power_of_two.h"
#include "core/math/rotation.h"
#include "core/math/rounding.h"
#include "core/math/tolerance.h"
#include "core/narrow/core_distance.h"
#include "core/narrow/placement.h"
#include "core/query/exact_decision.h"
#include "core/query/pair_solver.h"

namespace clearance {
namespace {

CoreLimits LimitsOf(const ShapePair& pair, const DistanceOptions& options) {
  const DoubleDouble radii = pair.radius_sum;
  CoreLimits limits = LimitsFor(pair, 0.0);
  if (std::isfinite(options.max_distance)) {
    const double limit =
        RoundUp(radii + DoubleDouble(ScaleUp(options.max_distance, -pair.exponent)));
    limits.stop_above = limit + kBeyondGuard * (limits.size_sum + limit);
  }
  limits.good_enough = std::fmax(limits.good_enough, ScaleDown(options.tolerance, -pair.exponent));
  limits.wants_depth = true;
  limits.depth_proof = options.depth_proof;
  return limits;
}

// From the body's origin to the shape's, world axes.
Vec3d LocalOrigin(const PosedShape& posed) {
  if (posed.local.p_WS == Vec3d{}) return {};
  return RotationMatrix<double>(posed.pose.q_WS) * posed.local.p_WS;
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

CoreAnswer Solve(PosedPair& posed, const DistanceOptions& options) {
  const CoreLimits limits = LimitsOf(posed.pair(), options);
  if (options.tolerance > 0) return posed.Solve(limits);
  const VertexPairs start = StartOf(posed.pair(), options);
  return start.size > 0 ? posed.SolveCanonically(start, limits) : posed.SolveCanonically(limits);
}

void SetWitness(const CoreWitness& core, Witness* witness) {
  witness->size = core.size;
  for (int i = 0; i < core.size; ++i) {
    witness->vertices_a[i] = core.a[i];
    witness->vertices_b[i] = core.b[i];
    witness->weights[i] = core.weight[i];
  }
}

// What the cores' answer says of the bodies.
DistanceAnswer AnswerOf(const DistanceQuestion& question, const PosedPair& posed,
                        const CoreAnswer& core) {
  const auto& [a, b, options] = question;
  const ShapePair& pair = posed.pair();
  DistanceAnswer answer;
  answer.iterations = core.iterations;
  answer.bracket = BodyBracket(pair, core);
  if (core.kind == CoreAnswer::Kind::kAbove || answer.bracket.lower > options.max_distance) {
    answer.state = State::kBeyond;
    answer.bracket = {options.max_distance, std::numeric_limits<double>::infinity()};
    return answer;
  }
  const double distance = (core.distance - pair.radius_sum).hi;
  const double tolerance = ToleranceInMetres(pair, distance);
  answer.tolerance = std::fmax(tolerance, options.tolerance);
  Verdict verdict = Classify(answer.bracket, answer.tolerance, core.hit_iteration_limit);
  if (options.exact) DecideAtZero(a, b, &verdict, &answer.bracket);
  answer.state = verdict.state;
  answer.reason = verdict.reason;
  answer.distance =
      std::fmin(std::fmax(TimesPowerOfTwo(distance, pair.exponent), answer.bracket.lower),
                answer.bracket.upper);
  SetPoints(posed, a, core, &answer);
  SetWitness(core.witness, &answer.witness);
  return answer;
}

// At most kDistancesAtOnce pairs: those that need a search have theirs side by side.
class Group {
 public:
  Group(absl::Span<const DistanceQuestion> questions, absl::Span<DistanceAnswer> answers)
      : questions_(questions), answers_(answers) {}

  void Answer() {
    for (std::size_t i = 0; i < questions_.size(); ++i) Begin(i);
    std::array<Scouted, kDistancesAtOnce> guesses;
    Scout({tasks_.data(), task_count_}, {guesses.data(), task_count_});
    for (std::size_t k = 0; k < task_count_; ++k) {
      PosedPair& posed = *pairs_[k];
      const CoreLimits limits = LimitsOf(posed.pair(), questions_[asked_[k]].options);
      Put(asked_[k], posed, posed.SolveCanonically(guesses[k], limits));
    }
  }

 private:
  // Answers what needs no search, and what no guess helps; the others wait for theirs.
  void Begin(std::size_t i) {
    const DistanceOptions& options = questions_[i].options;
    if (options.depth_proof != nullptr) *options.depth_proof = {};
    PosedPair& posed = pairs_[task_count_].emplace(questions_[i].a, questions_[i].b);
    if (posed.pair().is_curved() || options.tolerance > 0)
      return Put(i, posed, Solve(posed, options));
    const CoreLimits limits = LimitsOf(posed.pair(), options);
    CoreAnswer core;
    const VertexPairs start = StartOf(posed.pair(), options);
    if (start.size > 0 && posed.Finish(start, limits, &core)) return Put(i, posed, core);
    asked_[task_count_] = i;
    tasks_[task_count_++] = {&posed.difference(), limits.stop_above};
  }

  void Put(std::size_t i, const PosedPair& posed, const CoreAnswer& core) {
    answers_[i] = AnswerOf(questions_[i], posed, core);
  }

  const absl::Span<const DistanceQuestion> questions_;
  const absl::Span<DistanceAnswer> answers_;
  std::size_t task_count_ = 0;
  std::array<std::optional<PosedPair>, kDistancesAtOnce> pairs_;  // of the tasks
  std::array<ScoutTask, kDistancesAtOnce> tasks_;
  std::array<std::size_t, kDistancesAtOnce> asked_;  // by which question
};

}  // namespace

bool IsRepresentable(double bounding_radius, const Pose& pose) {
  const Vec3d& p = pose.p_WS;
  const double reach = std::max({std::fabs(p.x), std::fabs(p.y), std::fabs(p.z)}) + bounding_radius;
  return std::isfinite(8 * reach);  // two of these, and their distance, fit into doubles
}

DistanceAnswer Distance(const PosedShape& a, const PosedShape& b, const DistanceOptions& options) {
  if (options.depth_proof != nullptr) *options.depth_proof = {};
  PosedPair posed(a, b);
  return AnswerOf({a, b, options}, posed, Solve(posed, options));
}

void Distances(absl::Span<const DistanceQuestion> questions, absl::Span<DistanceAnswer> answers) {
  for (std::size_t first = 0; first < questions.size(); first += kDistancesAtOnce) {
    Group(questions.subspan(first, kDistancesAtOnce), answers.subspan(first, kDistancesAtOnce))
        .Answer();
  }
}

}  // namespace clearance
