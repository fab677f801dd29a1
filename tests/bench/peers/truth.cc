// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/peers/truth.h"

#include "tests/bench/core_check.h"

namespace clearance::bench {
namespace {

constexpr double kPeerDistanceTolerance = 1e-6;  // metres
constexpr double kPeerTimeTolerance = 1e-4;
constexpr double kOwnTolerance = 1e-9;

std::string At(const std::string& fault, std::size_t i) {
  return fault.empty() ? "" : fault + " at pair " + std::to_string(i);
}

// The brackets that judge others must be as narrow as those required of ours.
std::string FindWidth(double lowest, double highest) {
  return highest - lowest <= kOwnTolerance ? "" : "a bracket wider than 1e-9";
}

Truth DistanceTruth(const Questions& questions, Regime regime, std::size_t i, bool is_sampled,
                    std::string* fault) {
  const Pool& pool = questions.pool;
  const Pair& pair = questions.pairs[i];
  const DistanceAnswer answer = Distance(pair.PosedA(pool), pair.PosedB(pool), {});
  *fault = At(FindFault(pair, regime, answer), i);
  if (fault->empty() && is_sampled) *fault = At(FindInexactness(pool, pair, answer), i);
  if (fault->empty()) *fault = At(FindWidth(answer.bracket.lower, answer.bracket.upper), i);
  if (questions.kind != Kind::kIntersection) return {answer.bracket.lower, answer.bracket.upper};
  const double is_hit = answer.bracket.upper < 0 ? 1 : 0;
  return {is_hit, is_hit};
}

Truth TimeTruth(const Questions& questions, std::size_t i, bool is_sampled, std::string* fault) {
  const Pool& pool = questions.pool;
  const Pair& pair = questions.pairs[i];
  const Motion& approach = questions.approaches[i];
  const Motion still = {.displacement = {}, .rotation = {}, .pivot = pair.X_WB.p_WS};
  const TimeOfCollisionAnswer answer = TimeOfCollision(
      {*pool.shapes[pair.a], pair.X_WA, approach}, {*pool.shapes[pair.b], pair.X_WB, still}, {});
  *fault = At(FindFault(answer), i);
  if (fault->empty() && is_sampled) *fault = At(FindInexactness(pool, {pair, approach}, answer), i);
  if (answer.state == MotionState::kFree) return {kNoHit, kNoHit};
  if (fault->empty()) *fault = At(FindWidth(answer.t_free, answer.t_hit), i);
  return {answer.t_free, answer.t_hit};
}

}  // namespace

Truths ProveTruths(const Questions& questions, Regime regime, std::size_t sample) {
  Truths truths;
  for (std::size_t i = 0; i < questions.pairs.size() && truths.fault.empty(); ++i) {
    const bool is_sampled = i < sample;
    truths.of.push_back(questions.kind == Kind::kTimeOfCollision
                            ? TimeTruth(questions, i, is_sampled, &truths.fault)
                            : DistanceTruth(questions, regime, i, is_sampled, &truths.fault));
  }
  return truths;
}

std::size_t CountWrong(const std::vector<Truth>& truths, const std::vector<double>& answers,
                       double tolerance) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < truths.size(); ++i) {
    const bool is_right =
        answers[i] >= truths[i].lowest - tolerance && answers[i] <= truths[i].highest + tolerance;
    if (!is_right) ++wrong;
  }
  return wrong;
}

double ToleranceOfPeers(Kind kind) {
  if (kind == Kind::kIntersection) return 0;
  return kind == Kind::kTimeOfCollision ? kPeerTimeTolerance : kPeerDistanceTolerance;
}

double OwnTolerance(Kind kind) { return kind == Kind::kIntersection ? 0 : kOwnTolerance; }

}  // namespace clearance::bench
