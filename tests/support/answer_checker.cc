// SPDX-License-Identifier: Apache-2.0
#include "tests/support/answer_checker.h"

#include <cmath>
#include <utility>

#include "tests/support/faults.h"
#include "tests/support/test_shape.h"

namespace clearance::testing {
namespace {

// Limit in units of u (S + |d|) on the error of a value that is proved again: the checker works
// from rounded normals and weights.
constexpr double kProofSlack = 64;
// If tau is nearly 0 (two points), a bracket may still be this many times the slack wide.
constexpr double kBracketSlack = 16;
constexpr double kU = 0x1p-53;

double Length(const Vec3d& v) { return std::hypot(v.x, v.y, v.z); }

double Root(const mpq_class& square) {
  const mpf_class root = sqrt(mpf_class(square, 4096));
  return root.get_d();
}

// A positive multiple of v in integers.
ExactVector Integers(const Vec3d& v) {
  const mpq_class x(v.x), y(v.y), z(v.z);
  const mpz_class common = lcm(lcm(x.get_den(), y.get_den()), z.get_den());
  return {x.get_num() * (common / x.get_den()), y.get_num() * (common / y.get_den()),
          z.get_num() * (common / z.get_den())};
}

std::vector<ExactVector> WitnessDifferences(const CheckedPair& pair, const Witness& witness) {
  std::vector<ExactVector> differences;
  for (int k = 0; k < witness.size; ++k) {
    differences.push_back(pair.exact.a[pair.shape_a->original_index(witness.vertices_a[k])] -
                          pair.exact.b[pair.shape_b->original_index(witness.vertices_b[k])]);
  }
  return differences;
}

// The length of the weighted sum of the differences, metres.
double WitnessedCoreDistance(const CheckedPair& pair, const Witness& witness) {
  mpq_class x, y, z;
  const std::vector<ExactVector> differences = WitnessDifferences(pair, witness);
  for (int k = 0; k < witness.size; ++k) {
    const mpq_class weight(witness.weights[k]);
    x += weight * differences[k].x;
    y += weight * differences[k].y;
    z += weight * differences[k].z;
  }
  return Root((x * x + y * y + z * z) * pair.exact.unit * pair.exact.unit);
}

bool HoldsOriginInside(const CheckedPair& pair, const Witness& witness) {
  const ExactPair differences = {WitnessDifferences(pair, witness), {{0, 0, 0}}, 1, 0};
  return ComputeExactDistance(differences).relation == CoreRelation::kInside;
}

bool IsWitnessReadable(const CheckedPair& pair, const Witness& witness) {
  if (witness.size < 1 || witness.size > Witness::kCapacity) return false;
  for (int k = 0; k < witness.size; ++k) {
    if (!std::isfinite(witness.weights[k])) return false;
    if (witness.vertices_a[k] >= pair.shape_a->vertex_count()) return false;
    if (witness.vertices_b[k] >= pair.shape_b->vertex_count()) return false;
  }
  return true;
}

void CheckWeights(const Witness& witness, Faults* faults) {
  double sum = 0;
  for (int k = 0; k < witness.size; ++k) {
    faults->Require(witness.weights[k] > 0, "a weight is not positive", witness.weights[k]);
    sum += witness.weights[k];
  }
  faults->Require(std::fabs(sum - 1) <= 16 * kU, "the weights do not sum to 1", sum, 1);
}

void CheckPoints(const CheckedPair& pair, const DistanceAnswer& answer, Faults* faults) {
  const Vec3d step = answer.distance * answer.n_AB;
  const double local = 4 * kProofSlack * kU * (pair.Size() + std::fabs(answer.distance));
  faults->Require(IsFinite(answer.p_AoA) && IsFinite(answer.p_AoB) && IsFinite(answer.p_WA) &&
                      IsFinite(answer.p_WB),
                  "a point is not finite");
  const double miss = Length(answer.p_AoB - answer.p_AoA - step);
  faults->Require(miss <= local, "p_AoB is not p_AoA + d n", miss, local);
  const double world = local + 8 * kU * (Length(answer.p_WA) + Length(answer.p_WB));
  const double miss_world = Length(answer.p_WB - answer.p_WA - step);
  faults->Require(miss_world <= world, "p_WB is not p_WA + d n", miss_world, world);
  const double miss_origin = Length(answer.p_WA - answer.p_AoA - pair.bodies.a.pose.p_WS);
  faults->Require(miss_origin <= world, "p_WA is not p_AoA from A's origin", miss_origin, world);
}

// Checks that the points less the radii are points of the cores, to rounding, in A's frame of world
// axes, in which they are given to full precision.
void CheckPointsAreInTheCores(const CheckedPair& pair, const DistanceAnswer& answer,
                              Faults* faults) {
  const double slack = 4 * kProofSlack * kU * (pair.Size() + std::fabs(answer.distance));
  const auto check = [&](const Body& body, const Vec3d& point, const char* fault) {
    BodyPair on_point = {body, MakePointBody(0)};
    on_point.a.radius = 0;
    on_point.b.pose.p_WS = point;
    const ExactPlacement placement = Moved(Place(body.pose), -1, pair.bodies.a.pose.p_WS);
    const ExactDistance miss =
        ComputeExactDistance(MakeExactPair(on_point, placement, Place(on_point.b.pose)));
    faults->Require(miss.IsAtMost(slack), fault, miss.Approximate(), slack);
  };
  const Vec3d& n = answer.n_AB;
  check(pair.bodies.a, answer.p_AoA - pair.bodies.a.radius * n, "p_A is not on A");
  check(pair.bodies.b, answer.p_AoB + pair.bodies.b.radius * n, "p_B is not on B");
}

// Checks rows with a distance of either sign: everything that they promise is proved again, but for
// the upper bound.
void CheckConverged(const CheckedPair& pair, const DistanceAnswer& answer, Faults* faults) {
  const Bracket& bracket = answer.bracket;
  const double slack = kProofSlack * kU * (pair.Size() + std::fabs(answer.distance));
  const double radii = pair.bodies.a.radius + pair.bodies.b.radius;
  faults->Require(bracket.lower <= answer.distance && answer.distance <= bracket.upper,
                  "the distance is outside its bracket", answer.distance, bracket.lower);
  const double width = std::fmax(answer.tolerance, kBracketSlack * slack);
  faults->Require(bracket.upper - bracket.lower <= width, "the bracket is wide",
                  bracket.upper - bracket.lower, width);
  faults->Require(std::fabs(Length(answer.n_AB) - 1) <= 8 * kU, "the normal is not unit",
                  Length(answer.n_AB), 1);
  if (!(std::fabs(Length(answer.n_AB) - 1) <= 0.5)) return;  // no direction to prove anything by
  const double lower = CoreGapAlong(pair.exact, answer.n_AB) - radii;
  faults->Require(bracket.lower <= lower + slack, "the normal does not prove the lower bound",
                  bracket.lower, lower);
  CheckPoints(pair, answer, faults);
  CheckPointsAreInTheCores(pair, answer, faults);
}

// SEPARATED and TOUCHING rows.
void CheckWitnessedDistance(const CheckedPair& pair, const DistanceAnswer& answer, Faults* faults) {
  CheckWeights(answer.witness, faults);
  const double slack = kProofSlack * kU * (pair.Size() + std::fabs(answer.distance));
  const double radii = pair.bodies.a.radius + pair.bodies.b.radius;
  const double upper = WitnessedCoreDistance(pair, answer.witness) - radii;
  faults->Require(answer.bracket.upper >= upper - slack,
                  "the witnesses do not prove the upper bound", answer.bracket.upper, upper);
}

// The overlap by its witnesses, and that the translation by `distance` along the normal ends it.
void CheckPenetrating(const CheckedPair& pair, const DistanceAnswer& answer, Faults* faults) {
  const double radii = pair.bodies.a.radius + pair.bodies.b.radius;
  const double slack = kProofSlack * kU * pair.Size();
  const bool is_proved =
      HoldsOriginInside(pair, answer.witness) ||
      (radii > 0 && WitnessedCoreDistance(pair, answer.witness) <= radii + slack);
  faults->Require(is_proved, "the witnesses do not prove the overlap");
  const double separating = CoreGapAlong(pair.exact, answer.n_AB) - radii;
  faults->Require(std::fabs(separating - answer.distance) <= slack,
                  "the translation does not just separate", separating, answer.distance);
}

}  // namespace

double CoreGapAlong(const ExactPair& pair, const Vec3d& n) {
  const ExactVector direction = Integers(n);
  const mpz_class gap = SmallestGap(pair, direction);
  const mpq_class length = mpq_class(gap) * pair.unit;
  const double magnitude = Root(length * length / mpq_class(Dot(direction, direction)));
  return gap < 0 ? -magnitude : magnitude;
}

CheckedPair::CheckedPair(BodyPair pair)
    : bodies(std::move(pair)),
      shape_a(MakeShape(bodies.a)),
      shape_b(MakeShape(bodies.b)),
      exact(MakeExactPair(bodies)),
      truth(ComputeExactDistance(exact)) {}

std::string FindBracketFault(const ExactDistance& truth, State state, const Bracket& bracket) {
  Faults faults;
  const auto [lower, upper] = bracket;
  faults.Require(!std::isnan(lower) && !std::isnan(upper) && lower <= upper, "no bracket", lower,
                 upper);
  if (std::isnan(lower) || std::isnan(upper)) return faults.Take();
  faults.Require(truth.IsAtLeast(lower), "the lower bound is above the distance", lower,
                 truth.Approximate());
  faults.Require(truth.IsAtMost(upper), "the upper bound is below the distance", upper,
                 truth.Approximate());
  const bool agrees = (state == State::kSeparated && lower > 0 && truth.Sign() > 0) ||
                      (state == State::kTouching && lower <= 0 && upper >= 0) ||
                      (state == State::kPenetrating && upper < 0 && truth.Sign() < 0) ||
                      (state == State::kBeyond && lower > 0 && truth.Sign() > 0) ||
                      state == State::kUndecided;
  faults.Require(agrees, "state and bracket disagree with each other or with the truth",
                 static_cast<double>(state), truth.Sign());
  return faults.Take();
}

std::string FaultOf(const Check& check) {
  if (!check.contradiction) return "";
  const auto [claim, claimed, proved] = *check.contradiction;
  Faults faults;
  faults.Require(false, Name(claim), claimed, proved);
  return "core/proof: " + faults.Take();
}

std::string FindFault(const CheckedPair& pair, const DistanceAnswer& answer) {
  Faults faults;
  const double tau = answer.tolerance;
  std::string bracket_fault = FindBracketFault(pair.truth, answer.state, answer.bracket) +
                              FaultOf(CheckDistance(pair.PosedA(), pair.PosedB(), {}, answer));
  faults.Require(std::isfinite(tau) && tau >= 0, "tau is no width", tau);
  faults.Require(answer.state != State::kBeyond, "BEYOND without a max_distance");
  faults.Require((answer.state == State::kUndecided) == (answer.reason != UndecidedReason::kNone),
                 "UNDECIDED without a reason, or a reason without it");
  if (answer.state == State::kUndecided) return bracket_fault + faults.Take();
  if (!IsWitnessReadable(pair, answer.witness))
    return bracket_fault + "a witness is out of range or no number\n";
  if (answer.state == State::kTouching) {
    faults.Require(answer.bracket.lower >= -tau && answer.bracket.upper <= tau,
                   "TOUCHING farther than tau from 0", answer.bracket.lower, tau);
  }
  CheckConverged(pair, answer, &faults);
  if (answer.state == State::kPenetrating) {
    CheckPenetrating(pair, answer, &faults);
  } else {
    CheckWitnessedDistance(pair, answer, &faults);
  }
  return bracket_fault + faults.Take();
}

std::string FindFault(const CheckedPair& pair, const IntersectionAnswer& answer) {
  Faults faults;
  faults.Require(answer.state != State::kBeyond, "BEYOND of an intersection");
  faults.Require((answer.state == State::kUndecided) == (answer.reason != UndecidedReason::kNone),
                 "UNDECIDED without a reason, or a reason without it");
  return FindBracketFault(pair.truth, answer.state, answer.bracket) + faults.Take() +
         FaultOf(CheckIntersection(pair.PosedA(), pair.PosedB(), answer));
}

std::string FindFault(const TimeOfCollisionAnswer& answer) {
  Faults faults;
  const auto is_time = [](double t) { return t >= 0 && t <= 1; };
  faults.Require(is_time(answer.t_free), "t_free is no time", answer.t_free);
  faults.Require(
      (answer.state == MotionState::kUndecided) == (answer.reason != UndecidedReason::kNone),
      "UNDECIDED without a reason, or a reason without it");
  faults.Require(answer.state != MotionState::kFree || answer.t_free == 1, "FREE before the end",
                 answer.t_free);
  if (answer.state == MotionState::kInitiallyOverlapping) {
    faults.Require(answer.t_free == 0 && answer.t_hit == 0, "overlapping later than the start",
                   answer.t_hit);
  }
  if (answer.state != MotionState::kHit) return faults.Take();
  faults.Require(is_time(answer.t_hit) && answer.t_free <= answer.t_hit, "t_hit before t_free",
                 answer.t_hit, answer.t_free);
  faults.Require(std::fabs(Length(answer.n_AB) - 1) <= 8 * kU, "the normal is not unit",
                 Length(answer.n_AB), 1);
  faults.Require(IsFinite(answer.p_WA) && IsFinite(answer.p_WB), "a point is not finite");
  return faults.Take();
}

}  // namespace clearance::testing
