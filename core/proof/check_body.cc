// SPDX-License-Identifier: Apache-2.0

#include "core/proof/check_body.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/math/tolerance.h"
#include "core/proof/check_motion.h"
#include "core/proof/findings.h"

namespace clearance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Body>
bool IsConvexPair(const Body& a, const Body& b) {
  return !a.body.is_compound() && !b.body.is_compound();
}

// Returns a bracket as an answer that claims nothing else, or a state that claims no more than one
// end of it.
IntersectionAnswer Claimed(State state, const Bracket& bracket) {
  const bool is_open = state == State::kUndecided;
  return {state, is_open ? UndecidedReason::kPrecision : UndecidedReason::kNone, bracket};
}

// Checks of one pair of pieces.
auto HoldTo(const IntersectionAnswer& claim) {
  return
      [claim](const PosedShape& a, const PosedShape& b) { return CheckIntersection(a, b, claim); };
}
auto HoldTo(const MotionOptions& options, const TimeOfCollisionAnswer& claim) {
  return [&options, claim](const MovingShape& a, const MovingShape& b) {
    Check found = CheckTimeOfCollision(a, b, options, claim);
    const bool is_point = found.contradiction && found.contradiction->claim == Claim::kPoint;
    if (is_point) found.contradiction.reset();
    return found;
  };
}

// The findings on the pairs, as one finding on the whole.
class WholeFindings {
 public:
  WholeFindings() {
    check().is_lower_proved = true;
    check().is_upper_proved = false;
  }

  Check& check() { return findings_.check(); }
  bool is_clean() const { return findings_.is_clean(); }
  bool Require(bool holds, Claim claim, double claimed, double proved) {
    check().is_lower_proved = check().is_lower_proved && holds;
    return findings_.Require(holds, claim, claimed, proved);
  }
  // Takes the finding on a claim about every pair.
  void TakeOne(const Check& pair) {
    if (is_clean()) check().contradiction = pair.contradiction;
    check().is_lower_proved = check().is_lower_proved && pair.is_lower_proved;
  }

 private:
  Findings findings_;
};

// Requires: both queries take the bodies' pieces.
template <class Body>
class PairsOf {
 public:
  PairsOf(const Body& a, const Body& b)
      : a_(a), b_(b), count_a_(Count(a.body)), count_b_(Count(b.body)) {}

  bool Has(std::uint32_t piece_a, std::uint32_t piece_b) const {
    return piece_a < count_a_ && piece_b < count_b_;
  }

  // Runs `check(a, b)` on every pair in turn, except one.
  template <class CheckPair>
  void HoldEach(CheckPair check, std::uint64_t except, WholeFindings* findings) const {
    for (std::uint64_t id = 0; id < count_a_ * count_b_; ++id) {
      if (id != except) findings->TakeOne(CheckOf(check, id));
    }
  }

  // Requires that some pair passes its check; of several contradictions the first is reported.
  template <class CheckPair>
  void HoldOne(CheckPair check, WholeFindings* findings) const {
    Check first;
    for (std::uint64_t id = 0; id < count_a_ * count_b_; ++id) {
      const Check found = CheckOf(check, id);
      if (!found.contradiction) {
        findings->check().is_upper_proved = found.is_upper_proved;
        return;
      }
      if (id == 0) first = found;
    }
    if (findings->is_clean()) findings->check().contradiction = first.contradiction;
  }

  std::uint64_t IdOf(std::uint32_t piece_a, std::uint32_t piece_b) const {
    return piece_a * count_b_ + piece_b;
  }
  std::uint64_t none() const { return count_a_ * count_b_; }

 private:
  static std::uint64_t Count(const RigidBody& body) { return body.pieces().size(); }

  template <class CheckPair>
  Check CheckOf(CheckPair check, std::uint64_t id) const {
    return check(PieceOf(a_, static_cast<std::uint32_t>(id / count_b_)),
                 PieceOf(b_, static_cast<std::uint32_t>(id % count_b_)));
  }

  const Body& a_;
  const Body& b_;
  const std::uint64_t count_a_, count_b_;
};

// Returns the size of the largest piece about its centre.
double LargestPiece(const RigidBody& body) {
  double largest = 0;
  for (const Piece& piece : body.pieces()) {
    largest = std::max(largest, std::ldexp(piece.shape->core_radius(), piece.shape->exponent()) +
                                    piece.shape->radius());
  }
  return largest;
}

// The named pieces are judged by the tolerance of the pair that either end came from.
DistanceOptions WithTheWholesTolerance(const RigidBody& a, const RigidBody& b,
                                       const DistanceAnswer& answer, DistanceOptions options) {
  const double size = LargestPiece(a) + LargestPiece(b);
  const double rounding = kRoundingTolerance * kRoundoff * (size + std::fabs(answer.distance));
  options.tolerance = std::max({options.tolerance, kRelativeTolerance * size, rounding});
  return options;
}

}  // namespace

Check CheckDistance(const PosedBody& a, const PosedBody& b, const DistanceOptions& options,
                    const DistanceAnswer& answer) {
  if (IsConvexPair(a, b)) return CheckDistance(PieceOf(a, 0), PieceOf(b, 0), options, answer);
  WholeFindings findings;
  const PairsOf pairs(a, b);
  if (!findings.Require(pairs.Has(answer.piece_a, answer.piece_b), Claim::kWitness, answer.piece_a,
                        answer.piece_b)) {
    return findings.check();
  }
  const Check named =
      CheckDistance(PieceOf(a, answer.piece_a), PieceOf(b, answer.piece_b),
                    WithTheWholesTolerance(a.body, b.body, answer, options), answer);
  findings.TakeOne(named);
  findings.check().is_upper_proved = named.is_upper_proved;
  const IntersectionAnswer of_each = Claimed(State::kUndecided, {answer.bracket.lower, kInfinity});
  pairs.HoldEach(HoldTo(of_each), pairs.IdOf(answer.piece_a, answer.piece_b), &findings);
  return findings.check();
}

Check CheckIntersection(const PosedBody& a, const PosedBody& b, const IntersectionAnswer& answer) {
  if (IsConvexPair(a, b)) return CheckIntersection(PieceOf(a, 0), PieceOf(b, 0), answer);
  const auto [lower, upper] = answer.bracket;
  const State state = answer.state;
  WholeFindings findings;
  findings.Require(lower <= upper, Claim::kNumber, lower, upper);
  findings.Require((state == State::kUndecided) == (answer.reason != UndecidedReason::kNone),
                   Claim::kState, double(state), double(answer.reason));
  findings.Require(state != State::kBeyond, Claim::kState, double(state), 0);
  findings.Require(state != State::kTouching || (lower <= 0 && upper >= 0), Claim::kState,
                   double(state), lower);
  const IntersectionAnswer of_each = Claimed(
      state == State::kSeparated ? State::kSeparated : State::kUndecided, {lower, kInfinity});
  const IntersectionAnswer of_one = Claimed(
      state == State::kPenetrating ? State::kPenetrating : State::kUndecided, {-kInfinity, upper});
  const PairsOf pairs(a, b);
  pairs.HoldEach(HoldTo(of_each), pairs.none(), &findings);
  pairs.HoldOne(HoldTo(of_one), &findings);
  return findings.check();
}

Check CheckTimeOfCollision(const MovingBody& a, const MovingBody& b, const MotionOptions& options,
                           const TimeOfCollisionAnswer& answer) {
  if (IsConvexPair(a, b)) {
    return CheckTimeOfCollision(PieceOf(a, 0), PieceOf(b, 0), options, answer);
  }
  MotionOptions of_pair = options;
  of_pair.proof = nullptr;
  WholeFindings findings;
  const PairsOf pairs(a, b);
  if (!findings.Require(pairs.Has(answer.piece_a, answer.piece_b), Claim::kWitness, answer.piece_a,
                        answer.piece_b)) {
    return findings.check();
  }
  const auto check_whole = HoldTo(of_pair, answer);
  if (answer.state == MotionState::kInitiallyOverlapping) {
    pairs.HoldOne(check_whole, &findings);
    return findings.check();
  }
  const Check named = check_whole(PieceOf(a, answer.piece_a), PieceOf(b, answer.piece_b));
  findings.TakeOne(named);
  findings.check().is_upper_proved = named.is_upper_proved;
  TimeOfCollisionAnswer of_each;
  of_each.reason = UndecidedReason::kPrecision;
  of_each.t_free = answer.t_free;
  of_each.t_hit = answer.t_free;
  of_each.t_leave = answer.t_leave;
  pairs.HoldEach(HoldTo(of_pair, of_each), pairs.IdOf(answer.piece_a, answer.piece_b), &findings);
  return findings.check();
}

}  // namespace clearance
