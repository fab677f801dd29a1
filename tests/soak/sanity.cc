// SPDX-License-Identifier: Apache-2.0
#include "tests/soak/sanity.h"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <memory>

#include "tests/support/answer_checker.h"
#include "tests/support/faults.h"

namespace clearance::soak {
namespace {

using testing::Faults;
using testing::IsFinite;

constexpr double kU = 0x1p-53;
// Units of u (S + |d|) that p_B may be off p_A + d n by, from the rounding of both points.
constexpr double kPointSlack = 256;
// The same relative to S where a core is curved: there each point is exact on its own body.
constexpr double kCurvedSlack = 1e-9;
// What rounding to the least doubles may add, metres.
constexpr double kUnderflow = 0x1p-1060;

double Largest(const Vec3d& v) {
  return std::max({std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)});
}

// Of lengths whose squares may overflow.
double Length(const Vec3d& v) { return std::hypot(v.x, v.y, v.z); }

void CheckNormal(const Vec3d& n, Faults* faults) {
  const double length = Length(n);
  faults->Require(std::fabs(length - 1) <= 8 * kU, "the normal is not unit", length, 1);
}

void CheckStep(const Vec3d& step, double slack, Faults* faults) {
  const double miss = Largest(step);
  faults->Require(miss <= slack, "p_B is not p_A + d n", miss, slack);
}

// State, reason and bracket of a query that has no max_distance; tau may be infinite.
void CheckState(State state, UndecidedReason reason, const Bracket& bracket, double tau,
                Faults* faults) {
  const auto [lower, upper] = bracket;
  faults->Require(lower <= upper, "no bracket", lower, upper);
  faults->Require((state == State::kUndecided) == (reason != UndecidedReason::kNone),
                  "UNDECIDED without a reason, or a reason without it", static_cast<double>(state),
                  static_cast<double>(reason));
  const bool agrees =
      (state == State::kSeparated && lower > 0) || (state == State::kPenetrating && upper < 0) ||
      (state == State::kTouching && lower <= 0 && upper >= 0 && lower >= -tau && upper <= tau) ||
      state == State::kUndecided;
  faults->Require(agrees, "state and bracket disagree", static_cast<double>(state), lower);
}

// Two points that are `lower` apart along the normal and `upper` in all may be this far apart
// across it: what a caller who takes a wide bracket of curved bodies takes with it.
double Across(const Scale& scale, const Bracket& bracket) {
  const double width = bracket.upper - bracket.lower;
  return std::sqrt(width) * std::sqrt(width + 2 * scale.size + 2 * std::fabs(bracket.upper));
}

void CheckPoints(const Scale& scale, const DistanceOptions& options, const DistanceAnswer& answer,
                 Faults* faults) {
  const bool is_finite = IsFinite(answer.p_WA) && IsFinite(answer.p_WB) && IsFinite(answer.p_AoA) &&
                         IsFinite(answer.p_AoB);
  faults->Require(is_finite, "a point is not finite");
  const Vec3d step = answer.distance * answer.n_AB;
  const double relative = scale.is_curved ? kCurvedSlack : kPointSlack * kU;
  const double places = Largest(answer.p_AoA) + Largest(answer.p_AoB);
  const double across =
      scale.is_curved && options.tolerance > 0 ? Across(scale, answer.bracket) : 0;
  const double local =
      relative * (scale.size + std::fabs(answer.distance)) + across + 8 * kU * places + kUnderflow;
  CheckStep(answer.p_AoB - answer.p_AoA - step, local, faults);
  const double world = local + 8 * kU * (Largest(answer.p_WA) + Largest(answer.p_WB));
  CheckStep(answer.p_WB - answer.p_WA - step, world, faults);
}

void CheckWitness(const DistanceAnswer& answer, bool is_curved, Faults* faults) {
  const Witness& witness = answer.witness;
  const bool is_sized = witness.size >= (is_curved ? 0 : 1) && witness.size <= Witness::kCapacity;
  faults->Require(is_sized, "a witness of no size", witness.size);
  if (!is_sized || is_curved) return;
  double sum = 0;
  for (int i = 0; i < witness.size; ++i) {
    faults->Require(witness.weights[i] >= 0, "a weight below 0, or none", witness.weights[i]);
    sum += witness.weights[i];
  }
  // Enclosing vertices have no weights. What they enclose may be less deep than the least double.
  const bool is_overlap = answer.state == State::kPenetrating || answer.bracket.upper == 0;
  const bool is_whole = std::fabs(sum - 1) <= 16 * kU || (sum == 0 && is_overlap);
  faults->Require(is_whole, "the weights do not sum to 1", sum, 1);
}

bool IsTime(double t) { return t >= 0 && t <= 1; }

void CheckMotionProof(const TimeOfCollisionAnswer& answer, const MotionProof& proof,
                      Faults* faults) {
  faults->Require(proof.size >= 0 && proof.size <= MotionProof::kCapacity, "a proof of no size",
                  proof.size);
  for (int i = 0; i < std::clamp(proof.size, 0, MotionProof::kCapacity); ++i) {
    const ProvedInterval& interval = proof.intervals[i];
    const bool is_interval =
        IsTime(interval.t_begin) && IsTime(interval.t_end) && interval.t_begin <= interval.t_end;
    faults->Require(is_interval, "an interval that is none", interval.t_begin, interval.t_end);
    CheckNormal(interval.n_W, faults);
  }
  const bool has_more = proof.is_truncated || answer.t_free <= answer.t_leave;
  faults->Require(proof.size > 0 || has_more, "free without a proof", answer.t_free);
}

}  // namespace

Scale MeasureScale(double size, const Pose& pose_a, const Pose& pose_b) {
  return {size, std::max(Largest(pose_a.p_WS), Largest(pose_b.p_WS)), false};
}

std::string FindFault(const Scale& scale, const DistanceOptions& options,
                      const DistanceAnswer& answer) {
  Faults faults;
  const auto [lower, upper] = answer.bracket;
  if (answer.state == State::kBeyond) {
    faults.Require(lower == options.max_distance && upper >= lower, "BEYOND something else", lower,
                   options.max_distance);
    faults.Require(answer.reason == UndecidedReason::kNone, "a reason without UNDECIDED");
    return faults.Take();
  }
  faults.Require(std::isfinite(answer.tolerance) && answer.tolerance >= 0, "tau is no width",
                 answer.tolerance);
  CheckState(answer.state, answer.reason, answer.bracket, answer.tolerance, &faults);
  if (answer.state == State::kUndecided) return faults.Take();
  faults.Require(std::isfinite(lower) && std::isfinite(upper), "a decided bracket is not finite",
                 lower, upper);
  faults.Require(lower <= answer.distance && answer.distance <= upper,
                 "the distance is outside its bracket", answer.distance, lower);
  CheckNormal(answer.n_AB, &faults);
  CheckPoints(scale, options, answer, &faults);
  CheckWitness(answer, scale.is_curved, &faults);
  return faults.Take();
}

std::string FindFault(const IntersectionAnswer& answer) {
  Faults faults;
  faults.Require(answer.state != State::kBeyond, "BEYOND of an intersection");
  CheckState(answer.state, answer.reason, answer.bracket, INFINITY, &faults);
  return faults.Take();
}

std::string FindFault(const Scale& scale, const MotionOptions& options,
                      const TimeOfCollisionAnswer& answer) {
  Faults faults;
  const bool has_state =
      answer.state >= MotionState::kFree && answer.state <= MotionState::kUndecided;
  faults.Require(has_state, "no state", static_cast<double>(answer.state));
  const bool has_leave = answer.t_leave >= 0 && answer.t_leave <= answer.t_free;
  faults.Require(has_leave, "t_leave is not before t_free", answer.t_leave, answer.t_free);
  faults.Require(answer.t_leave == 0 || options.ignore_initial_contact, "left without being asked",
                 answer.t_leave);
  if (options.proof != nullptr) CheckMotionProof(answer, *options.proof, &faults);
  if (answer.state == MotionState::kHit || answer.state == MotionState::kInitiallyOverlapping) {
    CheckNormal(answer.n_AB, &faults);
    const double places = scale.place + Largest(answer.p_WA) + Largest(answer.p_WB);
    const double relative = scale.is_curved ? kCurvedSlack : kPointSlack * kU;
    const double slack =
        relative * (scale.size + std::fabs(answer.distance)) + 8 * kU * places + kUnderflow;
    CheckStep(answer.p_WB - answer.p_WA - answer.distance * answer.n_AB, slack, &faults);
  }
  return testing::FindFault(answer) + faults.Take();
}

std::string FindFault(const Scale& scale, const DistanceAnswer& answer,
                      const ContactManifold& manifold) {
  Faults faults;
  const bool is_decided = answer.state != State::kBeyond && answer.state != State::kUndecided;
  const bool is_sized =
      manifold.size >= (is_decided ? 1 : 0) && manifold.size <= ContactManifold::kCapacity;
  faults.Require(is_sized, "a manifold of no size", manifold.size);
  if (!is_sized) return faults.Take();
  for (int i = 0; i < manifold.size; ++i) {
    const ContactPoint& p = manifold.points[i];
    const bool is_finite =
        IsFinite(p.p_WA) && IsFinite(p.p_WB) && IsFinite(p.p_AoA) && IsFinite(p.p_AoB);
    faults.Require(is_finite, "a point of contact is not finite");
    const double relative = scale.is_curved ? kCurvedSlack : kPointSlack * kU;
    const double slack = relative * (scale.size + std::fabs(p.distance)) +
                         8 * kU * (Largest(p.p_AoA) + Largest(p.p_AoB)) + kUnderflow;
    CheckStep(p.p_AoB - p.p_AoA - p.distance * answer.n_AB, slack, &faults);
  }
  return faults.Take();
}

std::string FindFault(const DepthProof& proof) {
  constexpr std::size_t kCapacity = DepthProof::kVertexCapacity;
  Faults faults;
  const bool is_sized = proof.vertex_count >= 0 &&
                        proof.vertex_count <= DepthProof::kVertexCapacity &&
                        proof.facet_count >= 0 && proof.facet_count <= DepthProof::kFacetCapacity;
  faults.Require(is_sized, "a surface of no size", proof.vertex_count, proof.facet_count);
  if (!is_sized || proof.facet_count == 0) return faults.Take();
  std::bitset<kCapacity * kCapacity> edges;
  std::size_t doubled = 0;
  for (int f = 0; f < proof.facet_count; ++f) {
    const auto& corner = proof.facets[f];
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t from = corner[i];
      const std::size_t to = corner[(i + 1) % 3];
      const bool is_corner = static_cast<int>(from) < proof.vertex_count;
      faults.Require(is_corner, "a facet's corner is none", static_cast<double>(from));
      if (!is_corner || static_cast<int>(to) >= proof.vertex_count) return faults.Take();
      doubled += edges.test(from * kCapacity + to) ? 1 : 0;
      edges.set(from * kCapacity + to);
    }
  }
  std::size_t open = 0;
  for (std::size_t from = 0; from < kCapacity; ++from) {
    for (std::size_t to = 0; to < from; ++to) {
      open += edges.test(from * kCapacity + to) != edges.test(to * kCapacity + from) ? 1 : 0;
    }
  }
  faults.Require(doubled == 0 && open == 0, "the surface is not closed", static_cast<double>(open),
                 static_cast<double>(doubled));
  return faults.Take();
}

std::string FindContradiction(const Proved& one, const Proved& other) {
  Faults faults;
  const double lower = std::fmax(one.bracket.lower, other.bracket.lower);
  const double upper = std::fmin(one.bracket.upper, other.bracket.upper);
  faults.Require(lower <= upper, "brackets of two answers exclude each other", lower, upper);
  const auto excludes = [](State a, State b) {
    return a == State::kSeparated && b == State::kPenetrating;
  };
  faults.Require(!excludes(one.state, other.state) && !excludes(other.state, one.state),
                 "separated and penetrating");
  return faults.Take();
}

std::string FindContradiction(const Proved& start, double tau, const MotionOptions& options,
                              const TimeOfCollisionAnswer& answer) {
  Faults faults;
  const bool is_apart = start.bracket.lower > options.target_distance + 4 * tau;
  const bool is_within = start.bracket.upper < options.target_distance - 4 * tau;
  const bool is_initial = answer.state == MotionState::kInitiallyOverlapping;
  faults.Require(!is_apart || !is_initial, "initially overlapping, and apart at the start",
                 start.bracket.lower, options.target_distance);
  faults.Require(!is_apart || answer.t_leave == 0, "leaves what it does not touch", answer.t_leave);
  const bool is_at_start = is_initial || answer.state == MotionState::kUndecided;
  faults.Require(!is_within || is_at_start || options.ignore_initial_contact,
                 "within the target at the start, and not initially overlapping",
                 start.bracket.upper, options.target_distance);
  return faults.Take();
}

}  // namespace clearance::soak
