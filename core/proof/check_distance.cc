// SPDX-License-Identifier: Apache-2.0

#include "core/proof/check_distance.h"

#include <algorithm>
#include <cmath>

#include "core/math/tolerance.h"
#include "core/proof/bounds.h"
#include "core/proof/findings.h"
#include "core/proof/proof_body.h"

namespace clearance {
namespace {

bool IsFinite(const Vec3d& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

// A proof by vertices: the differences, and the closest points that their weights give.
struct WitnessPoints {
  DifferencePoints differences;
  bool has_weights = false;
  QuadVec p_A, p_B;
};

class PairChecker {
 public:
  // All positions are relative to the origin of A's body.
  PairChecker(const PosedShape& a, const PosedShape& b)
      : a_(a.shape, FrameOf(a, a.pose.p_WS)),
        b_(b.shape, FrameOf(b, a.pose.p_WS)),
        origin_W_(ToQuad(a.pose.p_WS)),
        size_sum_(a_.size() + b_.size()) {}

  Check CheckDistance(const DistanceOptions& options, const DistanceAnswer& answer);
  Check CheckIntersection(const IntersectionAnswer& answer);

 private:
  // Returns the error that an answer's rounding to doubles may hide at a distance, plus the
  // checker's own rounding if the pair is tiny beside its distance from A's origin.
  Quad Allowance(Quad distance) const {
    return kProofAllowance * kRoundoff * (size_sum_ + Abs(distance)) + kProofUnderflow +
           2 * ProofSlack(a_, b_);
  }
  // Bounds nearer to 0 than this are left open: exact arithmetic knows smaller gaps.
  Quad Unreadable() const { return kProofUnreadable * (a_.reach() + b_.reach()); }
  bool is_curved() const { return a_.is_curved() || b_.is_curved(); }
  Quad Radii() const { return a_.radius() + b_.radius(); }

  void CheckState(State state, UndecidedReason reason, const Bracket& bracket, double tau);
  void CheckTolerance(const DistanceOptions& options, const DistanceAnswer& answer);
  void CheckByOwnProof(const DistanceAnswer& answer);
  void CheckBySearch(State state, const Bracket& bracket);
  bool ReadWitness(const Witness& witness);
  void CheckLower(const DistanceAnswer& answer);
  void CheckUpper(const DistanceAnswer& answer);
  void CheckPoints(const DistanceAnswer& answer);
  void CheckSurface(const DistanceAnswer& answer, Quad rounding);

  const ProofBody a_, b_;
  const QuadVec origin_W_;
  const Quad size_sum_;  // S
  WitnessPoints witness_;
  Findings findings_;
};

void PairChecker::CheckState(State state, UndecidedReason reason, const Bracket& bracket,
                             double tau) {
  const auto [lower, upper] = bracket;
  findings_.Require(lower <= upper, Claim::kNumber, lower, upper);
  findings_.Require((state == State::kUndecided) == (reason != UndecidedReason::kNone),
                    Claim::kState, double(state), double(reason));
  const bool agrees =
      (state == State::kSeparated && lower > 0) || (state == State::kPenetrating && upper < 0) ||
      (state == State::kTouching && lower <= 0 && upper >= 0 && lower >= -tau && upper <= tau) ||
      state == State::kBeyond || state == State::kUndecided;
  findings_.Require(agrees, Claim::kState, double(state), lower);
}

void PairChecker::CheckTolerance(const DistanceOptions& options, const DistanceAnswer& answer) {
  const Quad extent = size_sum_ + Abs(answer.distance);
  const Quad rounding = Quad(kRoundingTolerance) * kRoundoff * extent;
  const Quad promised = std::max({Quad(kRelativeTolerance) * size_sum_, rounding,
                                  Quad(kMinTolerance), Quad(options.tolerance)});
  const Quad limit = promised * (1 + Quad(kProofUnitSlack));
  findings_.Require(answer.tolerance >= 0 && answer.tolerance <= limit, Claim::kTolerance,
                    answer.tolerance, promised);
}

Check PairChecker::CheckDistance(const DistanceOptions& options, const DistanceAnswer& answer) {
  CheckState(answer.state, answer.reason, answer.bracket, answer.tolerance);
  if (answer.state == State::kBeyond) {
    findings_.Require(answer.bracket.lower == options.max_distance, Claim::kState,
                      answer.bracket.lower, options.max_distance);
  } else {
    CheckTolerance(options, answer);
  }
  if (!findings_.is_clean()) return findings_.check();
  if (answer.state == State::kBeyond || answer.state == State::kUndecided) {
    CheckBySearch(answer.state, answer.bracket);
  } else {
    CheckByOwnProof(answer);
  }
  return findings_.check();
}

Check PairChecker::CheckIntersection(const IntersectionAnswer& answer) {
  const auto [lower, upper] = answer.bracket;
  const Quad tau =
      Quad(kRelativeTolerance) * size_sum_ + kMinTolerance + Allowance(std::fmin(-lower, upper));
  CheckState(answer.state, answer.reason, answer.bracket, static_cast<double>(tau));
  findings_.Require(answer.state != State::kBeyond, Claim::kState, double(answer.state), 0);
  if (findings_.is_clean()) CheckBySearch(answer.state, answer.bracket);
  return findings_.check();
}

void PairChecker::CheckByOwnProof(const DistanceAnswer& answer) {
  const auto [lower, upper] = answer.bracket;
  const double d = answer.distance;
  findings_.Require(std::isfinite(lower) && std::isfinite(upper), Claim::kNumber, lower, upper);
  findings_.Require(lower <= d && d <= upper, Claim::kDistance, d, lower);
  const Quad length = Length(ToQuad(answer.n_AB));
  findings_.Require(Abs(length - 1) <= kProofUnitSlack, Claim::kNormal, length, 1);
  if (!findings_.is_clean() || !ReadWitness(answer.witness)) return;
  CheckLower(answer);
  CheckUpper(answer);
  CheckPoints(answer);
}

// Checks both ends against the checker's own search. If the cores overlap, it proves only the sign.
void PairChecker::CheckBySearch(State state, const Bracket& bracket) {
  const ProvedBounds proved = SearchBounds(a_, b_, kProofSearchGap * size_sum_);
  const Quad distance = std::isfinite(bracket.lower) ? bracket.lower : proved.upper;
  const Quad allowance = Allowance(distance);
  findings_.Require(bracket.lower <= proved.upper + allowance, Claim::kLower, bracket.lower,
                    proved.upper);
  findings_.Require(bracket.upper >= proved.lower - allowance, Claim::kUpper, bracket.upper,
                    proved.lower);
  const bool is_apart = proved.lower > -allowance || bracket.lower < Unreadable();
  const bool overlaps = proved.upper < allowance || bracket.upper > -Unreadable();
  findings_.Require(state != State::kSeparated || is_apart, Claim::kState, 1, proved.lower);
  findings_.Require(state != State::kPenetrating || overlaps, Claim::kState, -1, proved.upper);
  findings_.check().is_lower_proved = bracket.lower <= proved.lower + allowance;
  findings_.check().is_upper_proved = bracket.upper >= proved.upper - allowance;
}

bool PairChecker::ReadWitness(const Witness& witness) {
  // A curved core has no vertices to name.
  if (a_.is_curved() || b_.is_curved()) return true;
  const bool is_sized = witness.size >= 1 && witness.size <= Witness::kCapacity;
  if (!findings_.Require(is_sized, Claim::kWitness, witness.size, 1)) return false;
  Quad sum = 0;
  for (int i = 0; i < witness.size; ++i) {
    const VertexIndex a = witness.vertices_a[i];
    const VertexIndex b = witness.vertices_b[i];
    const double weight = witness.weights[i];
    if (!findings_.Require(a < a_.vertex_count(), Claim::kWitness, a, a_.vertex_count()) ||
        !findings_.Require(b < b_.vertex_count(), Claim::kWitness, b, b_.vertex_count()) ||
        !findings_.Require(weight >= 0, Claim::kWitness, weight, 0)) {
      return false;
    }
    const QuadVec p_A = a_.Vertex(a);
    const QuadVec p_B = b_.Vertex(b);
    witness_.differences.point[witness_.differences.size++] = p_B - p_A;
    witness_.p_A = witness_.p_A + Quad(weight) * p_A;
    witness_.p_B = witness_.p_B + Quad(weight) * p_B;
    sum += weight;
  }
  witness_.has_weights = sum != 0;
  if (!witness_.has_weights) return true;
  witness_.p_A = (1 / sum) * witness_.p_A;
  witness_.p_B = (1 / sum) * witness_.p_B;
  return findings_.Require(Abs(sum - 1) <= kProofUnitSlack, Claim::kWitness, sum, 1);
}

void PairChecker::CheckLower(const DistanceAnswer& answer) {
  const Quad lower = answer.bracket.lower;
  const Quad proved = ProvedGap(a_, b_, ToQuad(answer.n_AB));
  const Quad allowance = Allowance(answer.distance);
  // For an overlap the normal is the best one to tau; the bound may come from another.
  const Quad doubt = answer.state == State::kPenetrating ? Quad(answer.tolerance) : Quad(0);
  findings_.check().is_lower_proved = lower <= proved + allowance;
  findings_.Require(lower <= proved + allowance + doubt, Claim::kLower, lower, proved);
  // An overlap shallower than the least double has the least double as its bound.
  const Quad upper = Quad(answer.bracket.upper) + kProofUnderflow;
  findings_.Require(upper >= proved, Claim::kUpper, answer.bracket.upper, proved);
  if (answer.state != State::kSeparated || proved > 0 || lower < Unreadable()) return;
  // A gap at the size of the normal's own rounding needs a direction with more digits. Curved
  // bodies have no direction that is known so well.
  const Quad gap = SearchBounds(a_, b_, 0).lower;
  const Quad rounding = is_curved() ? allowance : Quad(0);
  findings_.Require(gap > -rounding, Claim::kState, 1, gap);
}

void PairChecker::CheckUpper(const DistanceAnswer& answer) {
  const Quad upper = answer.bracket.upper;
  const Quad allowance = Allowance(answer.distance);
  ProvedBounds proved;
  if (witness_.has_weights) {
    proved.upper = Length(witness_.p_B - witness_.p_A) - Radii() + ProofSlack(a_, b_);
  } else if (witness_.differences.size > 0) {
    const InnerRadius inner = ComputeInnerRadius(witness_.differences, ProofSlack(a_, b_));
    // The claimed overlap of the cores is the depth less the radii. For a core that is tiny beside
    // a large radius, the origin may be inside by less than the rounding that the radius brings
    // along.
    findings_.Require(inner.upper > 0 || upper + Radii() > -Unreadable(), Claim::kState, -1,
                      inner.upper);
    proved.upper = -inner.lower - Radii();
  } else {
    proved = SearchBounds(a_, b_, kProofSearchGap * size_sum_);
  }
  // A gap narrower than the least double has the least double as its bound.
  findings_.Require(answer.bracket.lower <= proved.upper + kProofUnderflow, Claim::kLower,
                    answer.bracket.lower, proved.upper);
  const bool is_proved = upper >= proved.upper - allowance;
  findings_.check().is_upper_proved = is_proved;
  // An overlap's witness proves the overlap; a lower bound of its depth takes many facets.
  const bool is_depth = answer.state == State::kPenetrating && !witness_.has_weights;
  findings_.Require(is_proved || (is_depth && proved.upper < allowance), Claim::kUpper, upper,
                    proved.upper);
}

void PairChecker::CheckPoints(const DistanceAnswer& answer) {
  const QuadVec p_A = ToQuad(answer.p_AoA);
  const QuadVec p_B = ToQuad(answer.p_AoB);
  const QuadVec n = ToQuad(answer.n_AB);
  const bool is_finite = IsFinite(answer.p_AoA) && IsFinite(answer.p_AoB) &&
                         IsFinite(answer.p_WA) && IsFinite(answer.p_WB);
  if (!findings_.Require(is_finite, Claim::kNumber, 0, 0)) return;
  const Quad allowance = Allowance(answer.distance) + kProofAllowance * kRoundoff * a_.reach();
  const Quad miss = Length(p_B - p_A - Quad(answer.distance) * n);
  // Each point of a smooth body is exact on its own body; the direction between the points is not.
  const Quad direction = is_curved() ? kRelativeTolerance * size_sum_ : Quad(0);
  findings_.Require(miss <= allowance + direction, Claim::kPoint, miss, 0);
  const QuadVec world_A = ToQuad(answer.p_WA);
  const QuadVec world_B = ToQuad(answer.p_WB);
  const Quad world = allowance + kProofAllowance * kRoundoff * (Length(world_A) + Length(world_B));
  const Quad miss_A = Length(world_A - origin_W_ - p_A);
  const Quad miss_B = Length(world_B - origin_W_ - p_B);
  findings_.Require(miss_A <= world && miss_B <= world, Claim::kPoint, miss_A, miss_B);
  CheckSurface(answer, allowance);
}

// Weights, points and normal were rounded separately. Two points that are `lower` apart along the
// normal and `upper` in all may be sqrt(upper^2 - lower^2) apart across it, yet no more than tau.
// For an overlap the normal is the best one to tau. The positions of the deepest points of curved
// bodies are left open, also for an overlap too shallow for doubles.
void PairChecker::CheckSurface(const DistanceAnswer& answer, Quad rounding) {
  const Quad lower = answer.bracket.lower;
  const Quad upper = answer.bracket.upper;
  const bool overlaps = answer.state == State::kPenetrating || (lower < 0 && upper <= 0);
  const Quad allowance =
      rounding + 4 * (upper - lower) + (overlaps ? Quad(answer.tolerance) : Quad(0));
  const Quad across = Sqrt(Abs((upper - lower) * (upper + lower + 2 * Radii())));
  const Quad tau = allowance + std::min(across, kRelativeTolerance * size_sum_);
  const QuadVec n = ToQuad(answer.n_AB);
  const QuadVec core_A = ToQuad(answer.p_AoA) - a_.radius() * n;
  const QuadVec core_B = ToQuad(answer.p_AoB) + b_.radius() * n;
  if (witness_.has_weights) {
    const Quad off_A = Length(core_A - witness_.p_A);
    const Quad off_B = Length(core_B - witness_.p_B);
    findings_.Require(off_A <= tau, Claim::kPoint, off_A, 0);
    findings_.Require(off_B <= tau, Claim::kPoint, off_B, 0);
  } else if (!overlaps || !is_curved()) {
    const Quad off_A = DistanceFromCore(a_, core_A, rounding);
    const Quad off_B = DistanceFromCore(b_, core_B, rounding);
    findings_.Require(off_A <= tau, Claim::kPoint, off_A, 0);
    findings_.Require(off_B <= tau, Claim::kPoint, off_B, 0);
    const Quad below_A = a_.Support(n).height - Dot(n, core_A);
    const Quad below_B = b_.Support(-n).height + Dot(n, core_B);
    findings_.Require(below_A <= allowance, Claim::kPoint, below_A, 0);
    findings_.Require(below_B <= allowance, Claim::kPoint, below_B, 0);
  }
}

}  // namespace

const char* Name(Claim claim) {
  static constexpr const char* kNames[] = {
      "number",  "state", "tolerance", "lower bound", "upper bound", "distance", "normal",
      "witness", "point", "time",      "cover",       "interval",    "contact"};
  return kNames[static_cast<std::size_t>(claim)];
}

Check CheckDistance(const PosedShape& a, const PosedShape& b, const DistanceOptions& options,
                    const DistanceAnswer& answer) {
  return PairChecker(a, b).CheckDistance(options, answer);
}

Check CheckIntersection(const PosedShape& a, const PosedShape& b,
                        const IntersectionAnswer& answer) {
  return PairChecker(a, b).CheckIntersection(answer);
}

}  // namespace clearance
