// SPDX-License-Identifier: Apache-2.0

#include "core/query/piece_bounds.h"

#include <algorithm>
#include <cmath>

#include "core/math/power_of_two.h"
#include "core/math/rounding.h"
#include "core/math/tolerance.h"
#include "core/narrow/placement.h"

namespace clearance {
namespace {

// Rounding of a bound, in units of the lengths that it is made of. It has 33 u for a product with a
// rotation matrix in double, 60 u if that is itself a product of two, a few u for each sum and
// length. This is at least twice these together; it only decides which pairs are asked.
constexpr double kBoundError = 512 * kRoundoff;

// The inverse of a unit must be a normal double.
constexpr int kMinExponent = -1000;

int LengthExponent(double length) { return Exponent({length, 0, 0}); }

// Centres and radii of the balls, and sums of both, are no longer than this.
double Extent(const RigidBody& body, const LengthUnit& unit) {
  return 4 * (unit.per_metre * body.bounding_radius());
}

double InMetres(double bound, const LengthUnit& unit) { return NextDown(unit.metres * bound); }

int ExponentOf(const PosedBody& a, const PosedBody& b) {
  return std::max({Exponent(b.pose.p_WS - a.pose.p_WS), LengthExponent(a.body.bounding_radius()),
                   LengthExponent(b.body.bounding_radius())});
}

int ExponentOf(const MovingBody& moving, const Vec3d& origin_A) {
  return std::max(
      {Exponent(moving.motion.pivot - origin_A), Exponent(moving.start.p_WS - moving.motion.pivot),
       Exponent(moving.motion.displacement), LengthExponent(moving.body.bounding_radius())});
}

// Returns at most the least length of p + t * v for t in [0, 1], to rounding: p and p + v have at
// least that along the direction of the point that is nearest.
double LeastLength(const Vec3d& p, const Vec3d& v) {
  const double v_sq = NormSquared(v);
  const double t = v_sq > 0 ? std::fmin(std::fmax(-Dot(p, v) / v_sq, 0), 1) : 0;
  const Vec3d nearest = p + t * v;
  const double length = Norm(nearest);
  if (length == 0) return 0;
  return std::fmin(Dot(nearest, p), Dot(nearest, p + v)) / length;
}

}  // namespace

LengthUnit::LengthUnit(int exponent) {
  exponent = std::max(exponent, kMinExponent);
  metres = TimesPowerOfTwo(1.0, exponent);
  per_metre = TimesPowerOfTwo(1.0, -exponent);
}

StandingBounds::StandingBounds(const PosedBody& a, const PosedBody& b)
    : a_(a.body), b_(b.body), unit_(ExponentOf(a, b)) {
  const Mat3<double> R_AW = Transpose(RotationMatrix<double>(a.pose.q_WS));
  R_AB_ = R_AW * RotationMatrix<double>(b.pose.q_WS);
  p_AB_ = R_AW * (unit_.per_metre * (b.pose.p_WS - a.pose.p_WS));
  const double extent = Norm(p_AB_) + Extent(a_, unit_) + Extent(b_, unit_);
  error_ = kBoundError * extent + kUnderflowSlack;
}

Ball StandingBounds::Place(std::uint32_t piece_b) const {
  const Ball& ball = b_.balls()[piece_b];
  return {p_AB_ + R_AB_ * (unit_.per_metre * ball.center), unit_.per_metre * ball.radius};
}

double StandingBounds::Bound(std::uint32_t piece_a, const Ball& ball_b) const {
  const Ball& ball_a = a_.balls()[piece_a];
  const double centers = Norm(ball_b.center - unit_.per_metre * ball_a.center);
  const double radii = unit_.per_metre * ball_a.radius + ball_b.radius;
  return InMetres(centers - radii - error_, unit_);
}

double StandingBounds::BoundOfAll(const Ball& ball_b) const {
  const double radii = unit_.per_metre * a_.bounding_radius() + ball_b.radius;
  return InMetres(Norm(ball_b.center) - radii - error_, unit_);
}

MovingBounds::MovingBounds(const MovingBody& a, const MovingBody& b)
    : unit_(std::max(ExponentOf(a, a.start.p_WS), ExponentOf(b, a.start.p_WS))),
      a_(MakeMover(a, a.start.p_WS)),
      b_(MakeMover(b, a.start.p_WS)) {
  double extent = 0;
  for (const Mover* mover : {&a_, &b_}) {
    extent += Norm(mover->pivot) + 2 * Norm(mover->origin) + Norm(mover->displacement) +
              2 * Extent(mover->body, unit_);
  }
  error_ = kBoundError * extent + kUnderflowSlack;
}

MovingBounds::Mover MovingBounds::MakeMover(const MovingBody& moving, const Vec3d& origin_A) const {
  const Motion& motion = moving.motion;
  return {.body = moving.body,
          .R_W = RotationMatrix<double>(moving.start.q_WS),
          .pivot = unit_.per_metre * (motion.pivot - origin_A),
          .origin = unit_.per_metre * (moving.start.p_WS - motion.pivot),
          .displacement = unit_.per_metre * motion.displacement,
          .axis = RotationAxis(motion.rotation),
          .angle_rad = RotationAngle(motion.rotation)};
}

// A point at the distance r from the axis goes no farther from its start than r times the angle,
// and stays within r of its foot on the axis.
Ball MovingBounds::Sweep(const Mover& mover, const Ball& ball) const {
  const Vec3d arm = mover.origin + mover.R_W * (unit_.per_metre * ball.center);
  const double radius = unit_.per_metre * ball.radius;
  const Vec3d foot = Dot(mover.axis, arm) * mover.axis;
  const double from_axis = Norm(arm - foot);
  const double angle_rad = t_end_ * mover.angle_rad;
  if (angle_rad < 1) return {mover.pivot + arm, radius + angle_rad * from_axis};
  return {mover.pivot + foot, radius + from_axis};
}

double MovingBounds::Bound(const Ball& ball_a, const Ball& ball_b) const {
  const Vec3d closing = b_.displacement - a_.displacement;
  const double centers = LeastLength(ball_b.center - ball_a.center, t_end_ * closing);
  return InMetres(centers - (ball_a.radius + ball_b.radius) - error_, unit_);
}

double MovingBounds::Bound(std::uint32_t piece_a, const Ball& ball_b) const {
  return Bound(Sweep(a_, a_.body.balls()[piece_a]), ball_b);
}

double MovingBounds::BoundOfAll(const Ball& ball_b) const {
  return Bound(Sweep(a_, {{}, a_.body.bounding_radius()}), ball_b);
}

}  // namespace clearance
