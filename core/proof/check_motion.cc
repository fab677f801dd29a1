// SPDX-License-Identifier: Apache-2.0

#include "core/proof/check_motion.h"

#include <algorithm>
#include <cmath>

#include "core/math/tolerance.h"
#include "core/proof/bounds.h"
#include "core/proof/findings.h"
#include "core/proof/proof_body.h"

namespace clearance {
namespace {

constexpr int kMaxCuts = 4000;  // of one interval
constexpr int kSamples = 5;

// Returns exp(t * rotation), by its series at a small fraction of the angle and as many doublings.
QuadTurn TurnAt(const Vec3d& rotation, double t) {
  QuadVec half = Quad(0.5) * (Quad(t) * ToQuad(rotation));
  int doublings = 0;
  for (; Length(half) > 0.125; ++doublings) half = Quad(0.5) * half;
  const Quad square = Dot(half, half);
  Quad cosine = 1, sine_over = 1, term = 1;  // sine_over: the sine over the angle
  for (int k = 1; k <= 14; ++k) {
    term = -term * square / (2 * k - 1) / (2 * k);
    cosine += term;
    sine_over += term / (2 * k + 1);
  }
  QuadTurn turn = {sine_over * half, cosine};
  for (; doublings > 0; --doublings) turn = turn * turn;
  return turn;
}

QuadVec Across(const QuadVec& v, const QuadVec& axis) {
  const Quad square = Dot(axis, axis);
  return square > 0 ? v - (Dot(v, axis) / square) * axis : QuadVec{};
}

// A moving body, relative to a point of the world that both bodies of a pair have in common.
class MotionOfBody {
 public:
  MotionOfBody(const MovingShape& moving, const Vec3d& world_point)
      : shape_(moving.shape),
        motion_(moving.motion),
        start_(FrameOf({moving.shape, moving.start, moving.local}, moving.motion.pivot)),
        pivot_(ToQuad(moving.motion.pivot) - ToQuad(world_point)),
        from_pivot_(moving.shape, start_) {}

  ProofBody BodyAt(double t) const {
    QuadFrame frame = TurnAt(motion_.rotation, t) * start_;
    frame.origin = frame.origin + PivotAt(t);
    return {shape_, frame};
  }

  // Returns the height of the body's highest point along n at time t.
  Quad HeightAt(double t, const QuadVec& n) const {
    QuadTurn back = TurnAt(motion_.rotation, t);
    back.vector = -back.vector;
    return from_pivot_.Support(back * n).height + Dot(n, PivotAt(t)) +
           from_pivot_.radius() * Length(n);
  }

  // Returns an upper bound of |f''| of n.p(t).
  Quad Curvature(const QuadVec& n) const {
    const QuadVec axis = ToQuad(motion_.rotation);
    const Quad arm = Length(Across(from_pivot_.Center(), axis)) + from_pivot_.size();
    return Dot(axis, axis) * Length(Across(n, axis)) * arm;
  }

  Quad size() const { return from_pivot_.size(); }
  // Returns the sum of all lengths that enter.
  Quad reach() const {
    return from_pivot_.reach() + Length(pivot_) + Length(ToQuad(motion_.displacement));
  }

 private:
  QuadVec PivotAt(double t) const { return pivot_ + Quad(t) * ToQuad(motion_.displacement); }

  const ConvexShape& shape_;
  const Motion& motion_;
  const QuadFrame start_;  // from the pivot
  const QuadVec pivot_;
  const ProofBody from_pivot_;
};

class MotionChecker {
 public:
  MotionChecker(const MovingShape& a, const MovingShape& b, const MotionOptions& options,
                const TimeOfCollisionAnswer& answer)
      : a_(a, a.start.p_WS),
        b_(b, a.start.p_WS),
        world_point_(ToQuad(a.start.p_WS)),
        answer_(answer),
        target_(options.target_distance),
        slack_(kProofMotionRoundoff * (a_.reach() + b_.reach()) + kProofUnderflow),
        size_sum_(a_.size() + b_.size()) {}

  Check Run(const MotionProof* proof) {
    CheckTimes();
    if (!findings_.is_clean()) return findings_.check();
    const bool is_covered = proof != nullptr && CheckCover(*proof) && !proof->is_truncated;
    bool is_free = is_covered;
    for (int i = 0; proof != nullptr && findings_.is_clean() && i < proof->size; ++i) {
      is_free = CheckInterval(proof->intervals[i]) && is_free;
    }
    if (!is_covered) CheckSamples();
    findings_.check().is_lower_proved = is_free;
    if (answer_.state == MotionState::kHit) CheckHit();
    if (answer_.state == MotionState::kInitiallyOverlapping) CheckWithin(0);
    return findings_.check();
  }

 private:
  Quad Tau() const {
    const Quad extent = size_sum_ + target_;
    return std::max(Quad(kRelativeTolerance) * size_sum_,
                    2 * kProofAllowance * kRoundoff * extent) +
           kMinTolerance + slack_;
  }

  void CheckTimes();
  bool CheckCover(const MotionProof& proof);
  bool CheckInterval(const ProvedInterval& interval);
  void CheckSamples();
  void CheckWithin(double t);
  void CheckHit();

  // Returns the gap along n less the target, accurate to the rounding of n.
  Quad GapAt(double t, const QuadVec& n) const {
    return -b_.HeightAt(t, -n) - a_.HeightAt(t, n) - target_ * Length(n);
  }

  const MotionOfBody a_, b_;
  const QuadVec world_point_;
  const TimeOfCollisionAnswer& answer_;
  const Quad target_;
  const Quad slack_;
  const Quad size_sum_;
  Findings findings_;
};

void MotionChecker::CheckTimes() {
  const auto [state, reason, t_free, t_hit] =
      std::tuple(answer_.state, answer_.reason, answer_.t_free, answer_.t_hit);
  findings_.Require(0 <= t_free && t_free <= t_hit && t_hit <= 1, Claim::kTime, t_free, t_hit);
  findings_.Require(answer_.t_leave >= 0 && answer_.t_leave <= t_free, Claim::kTime,
                    answer_.t_leave, t_free);
  const bool is_undecided = state == MotionState::kUndecided;
  findings_.Require(is_undecided == (reason != UndecidedReason::kNone), Claim::kState,
                    static_cast<double>(state), static_cast<double>(reason));
  findings_.Require(state != MotionState::kFree || t_free == 1, Claim::kTime, t_free, 1);
  findings_.Require(state != MotionState::kInitiallyOverlapping || t_hit == 0, Claim::kTime, t_hit,
                    0);
}

bool MotionChecker::CheckCover(const MotionProof& proof) {
  double covered = answer_.t_leave;
  const bool is_sized = proof.size >= 0 && proof.size <= MotionProof::kCapacity;
  bool holds = findings_.Require(is_sized, Claim::kCover, proof.size, MotionProof::kCapacity);
  for (int i = 0; holds && i < proof.size; ++i) {
    const ProvedInterval& interval = proof.intervals[i];
    holds = findings_.Require(
        interval.t_begin <= covered && interval.t_end >= interval.t_begin && interval.t_end <= 1,
        Claim::kCover, interval.t_begin, covered);
    covered = interval.t_end;
  }
  if (!holds || proof.is_truncated) return holds;
  return findings_.Require(covered >= answer_.t_free, Claim::kCover, answer_.t_free, covered);
}

// Proves the interval from the left, in steps as long as the chord's bound allows. Returns true if
// all of it was proved.
bool MotionChecker::CheckInterval(const ProvedInterval& interval) {
  const QuadVec n_W = ToQuad(interval.n_W);
  const Quad length = Length(n_W);
  if (!findings_.Require(Abs(length - 1) <= kProofUnitSlack, Claim::kNormal, length, 1)) {
    return false;
  }
  const Quad curvature = a_.Curvature(n_W) + b_.Curvature(n_W);
  const auto gap_at = [&](double t) { return GapAt(t, n_W); };
  const Quad allowance = slack_ + kProofAllowance * kRoundoff * (a_.reach() + b_.reach() + target_);
  double t = interval.t_begin;
  double step = interval.t_end - t;
  Quad gap = gap_at(t);
  if (!findings_.Require(gap >= -allowance, Claim::kInterval, t, gap)) return false;
  for (int cut = 0; t < interval.t_end && cut < kMaxCuts; ++cut) {
    const double next = std::min(t + step, interval.t_end);
    const Quad next_gap = gap_at(next);
    if (!findings_.Require(next_gap >= -allowance, Claim::kInterval, next, next_gap)) return false;
    const Quad length_sq = (Quad(next) - t) * (Quad(next) - t);
    if (std::min(gap, next_gap) + allowance >= curvature * length_sq / 8) {
      t = next;
      gap = next_gap;
      step *= 2;
    } else {
      step /= 2;
    }
  }
  return t >= interval.t_end;
}

// Checks, without intervals, that the bodies are nearer than the target at none of the sampled
// times. If one piece hits before another has left, no time is claimed to be free.
void MotionChecker::CheckSamples() {
  if (!(answer_.t_leave < answer_.t_free)) return;
  for (int i = 0; i <= kSamples; ++i) {
    const double t = answer_.t_leave + (answer_.t_free - answer_.t_leave) * i / kSamples;
    const ProvedBounds proved =
        SearchBounds(a_.BodyAt(t), b_.BodyAt(t), kProofSearchGap * size_sum_);
    const Quad allowance = Tau();
    findings_.Require(proved.upper >= target_ - allowance, Claim::kTime, t, proved.upper);
    // If bodies overlap equally on both sides of a plane, nothing is proved from above. (At t_free
    // itself they may touch, and then nothing is known from below; nor if the search never found a
    // direction.)
    const bool is_known = i < kSamples && proved.lower > -HUGE_VAL;
    findings_.Require(!is_known || proved.lower >= target_ - allowance, Claim::kTime, t,
                      proved.lower);
  }
}

void MotionChecker::CheckWithin(double t) {
  const ProvedBounds proved = SearchBounds(a_.BodyAt(t), b_.BodyAt(t), kProofSearchGap * size_sum_);
  const Quad near = target_ + Tau();
  findings_.Require(proved.lower <= near, Claim::kContact, t, proved.lower);
  findings_.check().is_upper_proved = proved.upper <= near + slack_;
}

// Checks that the bodies are within reach at t_hit, and that the points lie on the bodies then (or,
// if the bodies overlap by then, at the last free time).
void MotionChecker::CheckHit() {
  CheckWithin(answer_.t_hit);
  const QuadVec n = ToQuad(answer_.n_AB);
  findings_.Require(Abs(Length(n) - 1) <= kProofUnitSlack, Claim::kNormal, Length(n), 1);
  const QuadVec p_WA = ToQuad(answer_.p_WA);
  const QuadVec p_WB = ToQuad(answer_.p_WB);
  const Quad rounding =
      kProofAllowance * kRoundoff * (a_.reach() + b_.reach() + Length(p_WA) + Length(p_WB)) +
      kProofUnderflow;
  const Quad miss = Length(p_WB - p_WA - Quad(answer_.distance) * n);
  findings_.Require(miss <= rounding, Claim::kPoint, miss, 0);
  Quad least = -1;
  for (const double t : {answer_.t_hit, answer_.t_free}) {
    const ProofBody a = a_.BodyAt(t);
    const ProofBody b = b_.BodyAt(t);
    const Quad off_A = DistanceFromCore(a, p_WA - world_point_ - a.radius() * n, rounding);
    const Quad off_B = DistanceFromCore(b, p_WB - world_point_ + b.radius() * n, rounding);
    const Quad off = std::max(off_A, off_B);
    least = least < 0 ? off : std::min(least, off);
  }
  findings_.Require(least <= Tau() + rounding, Claim::kPoint, least, 0);
}

}  // namespace

Check CheckTimeOfCollision(const MovingShape& a, const MovingShape& b, const MotionOptions& options,
                           const TimeOfCollisionAnswer& answer) {
  return MotionChecker(a, b, options, answer).Run(options.proof);
}

}  // namespace clearance
