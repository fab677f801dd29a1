// SPDX-License-Identifier: Apache-2.0

#include "core/query/relative_motion.h"

#include <algorithm>
#include <cmath>

#include "core/math/assert.h"
#include "core/math/power_of_two.h"
#include "core/math/rounding.h"
#include "core/math/tolerance.h"
#include "core/query/pair_solver.h"
#include "core/support/support_point.h"

namespace clearance {
namespace {

using Dd = DoubleDouble;

PosedShape StartOf(const MovingShape& moving) { return {moving.shape, moving.start, moving.local}; }

// Returns (to - from) / 2^exponent, exact except for underflow. Positions of 2^1022 m and more are
// first divided by 2^room, so that their difference cannot overflow.
Vec3<Dd> Offset(const Vec3d& from, const Vec3d& to, int exponent) {
  const int room = std::max({Exponent(from) - 1022, Exponent(to) - 1022, 0});
  return Scaled(To<Dd>(Scaled(to, -room)) - To<Dd>(Scaled(from, -room)), room - exponent);
}

// Returns the exponent, in metres, of a length that is given in units of 2^unit_exponent.
int ScaledExponent(const Vec3<Dd>& v, int unit_exponent) {
  const int exponent = Exponent(ToDouble(v));
  return exponent == kNoExponent ? kNoExponent : exponent + unit_exponent;
}

// Returns the exponent of to - from, in metres. In metres the difference itself might overflow, in
// units of 4 m it cannot.
int OffsetExponent(const Vec3d& from, const Vec3d& to) {
  return ScaledExponent(Offset(from, to, 2), 2);
}

// Returns the centre's offset from the origin of the shape's body.
Vec3d CenterFromOrigin(const PosedShape& posed) {
  const int exponent = std::max(posed.shape.center_exponent(), Exponent(posed.local.p_WS));
  if (exponent == kNoExponent) return {};
  return Scaled(ToDouble(RotatedCenter(posed, exponent)), exponent);
}

bool Turns(const MovingShape& moving) { return !(moving.motion.rotation == Vec3d{}); }

// Returns the exponent of the offset of the centres at the start, in metres.
int StartExponent(const CenterOffset& offset) {
  return ScaledExponent(offset.p_AcBc_W, offset.exponent);
}

// Returns the exponent of units in which nothing that moves is large, nor any pivot or lever if
// something turns.
int MotionExponent(const MovingShape& a, const MovingShape& b, const CenterOffset& offset) {
  int exponent = std::max(
      {StartExponent(offset), Exponent(a.motion.displacement), Exponent(b.motion.displacement)});
  if (!Turns(a) && !Turns(b)) return exponent;
  exponent = std::max({exponent, OffsetExponent(a.motion.pivot, a.start.p_WS),
                       OffsetExponent(b.motion.pivot, b.start.p_WS),
                       OffsetExponent(a.motion.pivot, b.motion.pivot)});
  for (const MovingShape* moving : {&a, &b}) {
    exponent = std::max(exponent, Exponent(CenterFromOrigin(StartOf(*moving))));
  }
  return exponent;
}

}  // namespace

MotionStart::MotionStart(const MovingShape& a, const MovingShape& b, Pacer* pacer)
    : offset(ComputeCenterOffset(StartOf(a), StartOf(b))),
      pair(MakeShapePair(a.shape, b.shape, MotionExponent(a, b, offset), pacer)),
      p_AcBc_W(Scaled(offset.p_AcBc_W, offset.exponent - pair.exponent)) {}

bool MotionStart::IsInRange() const {
  const int size = PairExponent(pair.a, pair.b, StartExponent(offset));
  return pair.exponent - size <= kMaxScaleSpan;
}

TranslatingPair MakeTranslating(const MotionStart& start, const MovingShape& a,
                                const MovingShape& b, double center_errors) {
  CLEARANCE_ASSERT(!Turns(a) && !Turns(b));
  const int exponent = start.pair.exponent;
  const double offset_error = kDoubleDoubleRoundoff * Norm(ToDouble(start.p_AcBc_W)) +
                              center_errors + LeastPlaces(start.offset.exponent - exponent) +
                              kUnderflowSlack;
  return {start.pair,
          StartOf(a),
          StartOf(b),
          start.p_AcBc_W,
          offset_error,
          Scaled(a.motion.displacement, -exponent),
          Scaled(b.motion.displacement, -exponent)};
}

double MotionTolerance(const ShapePair& pair, double goal) {
  return std::max(Tolerance(pair.size_sum, goal), LeastToleranceInUnits(pair));
}

double ClosingErrorOf(double displacement_a, double displacement_b) {
  return 40 * kRoundoff * (displacement_a + displacement_b);
}

Vec3d CenterFromOrigin(const MovingShape& moving) { return CenterFromOrigin(StartOf(moving)); }

RelativeMotion::RelativeMotion(const MovingShape& a, const MovingShape& b, Pacer* pacer)
    : a_moving_(a),
      b_moving_(b),
      begin_(a, b, pacer),
      pair_(begin_.pair),
      a_(MakeBody(a)),
      b_(MakeBody(b)),
      coarse_axes_(MakeAxes<double>(pair_, OrientedShape<double>{StartOf(a), a_.R0_W},
                                    OrientedShape<double>{StartOf(b), b_.R0_W})) {
  if (!is_translation()) SetLevers();
}

RelativeMotion::Body RelativeMotion::MakeBody(const MovingShape& moving) const {
  Body body;
  body.R0_W = RotationInWorld<double>(StartOf(moving));
  body.start_error = (IsIdentity(moving.local.q_WS) ? 30 : 70) * kRoundoff;
  body.displacement = Scaled(moving.motion.displacement, -pair_.exponent);
  body.rotation = moving.motion.rotation;
  if (Turns(moving)) body.angle_rad = RotationAngle(body.rotation);
  return body;
}

// A body that does not turn has no pivot: any point will do, and its own origin is near.
void RelativeMotion::SetLevers() {
  const bool turns = !is_translation();
  const Vec3d& pivot_a = turns ? a_moving_.motion.pivot : a_moving_.start.p_WS;
  const Vec3d& pivot_b = turns ? b_moving_.motion.pivot : b_moving_.start.p_WS;
  SetLever(a_moving_, pivot_a, &a_);
  SetLever(b_moving_, pivot_b, &b_);
  b_.pivot0 = ToDouble(Offset(pivot_a, pivot_b, pair_.exponent));
  if (a_.angle_rad > 0) MeasureWheel(a_moving_.shape, pair_.scale_a, &a_);
  if (b_.angle_rad > 0) MeasureWheel(b_moving_.shape, pair_.scale_b, &b_);
}

void RelativeMotion::SetLever(const MovingShape& moving, const Vec3d& pivot, Body* body) const {
  // The pivot may lie close to vertices that are far from the shape's origin: rounded only once.
  const Vec3<Dd> to_origin = Offset(pivot, moving.start.p_WS, pair_.exponent);
  body->lever0 = ToDouble(to_origin + RotatedCenter(StartOf(moving), pair_.exponent));
}

void RelativeMotion::MeasureWheel(const ConvexShape& shape, double scale, Body* body) {
  body->axis = RotationAxis(body->rotation);
  if (shape.is_curved()) return MeasureCurvedWheel(shape, scale, body);
  for (VertexIndex i = 0; i < shape.vertex_count(); ++i) {
    const Vec3d arm = body->lever0 + body->R0_W * (scale * shape.vertex(i));
    const double along = Dot(body->axis, arm);
    body->axis_low = i == 0 ? along : std::fmin(body->axis_low, along);
    body->axis_high = i == 0 ? along : std::fmax(body->axis_high, along);
    body->arm = std::fmax(body->arm, Norm(Cross(body->axis, arm)));
  }
}

void RelativeMotion::MeasureCurvedWheel(const ConvexShape& shape, double scale, Body* body) {
  const Vec3d axis_S = Transpose(body->R0_W) * body->axis;
  const double center = Dot(body->axis, body->lever0);
  body->axis_high = center + scale * Dot(axis_S, CurvedSupportPoint(shape, axis_S));
  body->axis_low = center + scale * Dot(axis_S, CurvedSupportPoint(shape, -axis_S));
  body->arm = Norm(Cross(body->axis, body->lever0)) + scale * shape.core_radius();
}

RelativeMotion::BodyAt RelativeMotion::At(const Body& body, double t) {
  const Vec3d pivot = body.pivot0 + t * body.displacement;
  if (body.angle_rad == 0) return {body.R0_W, body.lever0, pivot, body.start_error};
  const Mat3<double> turn = RotationVectorMatrix(t * body.rotation);
  // Their product is off by another 10u.
  const double error =
      (kRotationVectorError + kRotationAngleError * t * body.angle_rad + 10) * kRoundoff +
      body.start_error;
  return {turn * body.R0_W, turn * body.lever0, pivot, error};
}

Placement<double> RelativeMotion::RotatingAt(double t) const {
  const BodyAt a = At(a_, t);
  const BodyAt b = At(b_, t);
  const Vec3d p_W = (b.pivot - a.pivot) + (b.lever - a.lever);
  const Mat3<double> R_AW = Transpose(a.R_W);
  Placement<double> placement;
  placement.R_AB = R_AW * b.R_W;
  placement.p_AB = R_AW * p_W;
  const double levers = Norm(a.lever) + Norm(b.lever);
  const double paths = Norm(b_.pivot0) + Norm(a_.displacement) + Norm(b_.displacement);
  placement.error = (a.rotation_error + b.rotation_error + 10 * kRoundoff) *
                        (pair_.radius_b + Norm(p_W) + levers) +
                    8 * kRoundoff * (paths + levers);
  return placement;
}

CenterOffset RelativeMotion::OffsetAt(double t) const {
  if (t == 0) return {begin_.p_AcBc_W, pair_.exponent};
  const Vec3<Dd> closing = To<Dd>(b_.displacement) - To<Dd>(a_.displacement);
  return {begin_.p_AcBc_W + Dd(t) * closing, pair_.exponent};
}

template <class T>
Placement<T> RelativeMotion::TranslatedAt(double t, const RelativeAxes<T>& axes) const {
  Placement<T> placement = MakePlacement(pair_, axes, OffsetAt(t));
  // The underflow from when the places were scaled by the largest of them.
  placement.error += LeastPlaces(begin_.offset.exponent - pair_.exponent);
  return placement;
}

Placement<double> RelativeMotion::CoarseAt(double t) const {
  return is_translation() ? TranslatedAt(t, coarse_axes_) : RotatingAt(t);
}

Placement<Dd> RelativeMotion::FineAt(double t) {
  if (is_translation()) {
    if (!fine_axes_) {
      fine_axes_ = MakeAxes<Dd>(pair_, StartOf(a_moving_), StartOf(b_moving_));
    }
    return TranslatedAt(t, *fine_axes_);
  }
  const Placement<double> coarse = RotatingAt(t);
  return {{To<Dd>(coarse.R_AB.row_x), To<Dd>(coarse.R_AB.row_y), To<Dd>(coarse.R_AB.row_z)},
          To<Dd>(coarse.p_AB),
          {},
          coarse.error};
}

Placement<double> RelativeMotion::Swept() const {
  Placement<double> placement = CoarseAt(0);
  placement.sweep_A = ClosingInA();
  placement.error += ClosingError();
  return placement;
}

Vec3d RelativeMotion::ClosingInA() const {
  CLEARANCE_ASSERT(is_translation());
  return Transpose(a_.R0_W) * (b_.displacement - a_.displacement);
}

double RelativeMotion::ClosingError() const {
  CLEARANCE_ASSERT(is_translation());
  return ClosingErrorOf(Norm(a_.displacement), Norm(b_.displacement));
}

double RelativeMotion::LongestPath() const {
  const auto path_of = [](const Body& body, double radius) {
    return Norm(body.displacement) + body.angle_rad * (Norm(body.lever0) + radius);
  };
  return path_of(a_, pair_.radius_a) + path_of(b_, pair_.radius_b);
}

TranslatingPair RelativeMotion::Translating() const {
  const double centers = coarse_axes_.center_error_a + coarse_axes_.center_error_b;
  return MakeTranslating(begin_, a_moving_, b_moving_, centers);
}

Vec3d RelativeMotion::CenterOfA(double t) const {
  // A lever of a body that does not turn may be long in these units.
  if (is_translation()) {
    const Vec3d path = t * a_moving_.motion.displacement;
    return a_moving_.start.p_WS + (path + CenterFromOrigin(a_moving_));
  }
  const BodyAt a = At(a_, t);
  return a_moving_.motion.pivot + Scaled(a.pivot + a.lever, pair_.exponent);
}

// F(s) = G(s) - M s^2 / 2 - goal - margin(s), the lower bound of the gap at t + s.
struct RelativeMotion::Bound {
  struct Value {
    double height;
    double slope;
  };

  Value operator()(double s) {
    pair.SpendSearch();
    const Vec3d e_a = n + s * turn_a;
    const Vec3d e_b = n + s * turn_b;
    const auto highest_a = SupportPoint(pair.a, Transpose(a.R_W) * e_a, last_a);
    const auto highest_b = SupportPoint(pair.b, -(Transpose(b.R_W) * e_b), last_b);
    last_a = highest_a.vertex;
    last_b = highest_b.vertex;
    arm_a = ArmOf(a, pair.scale_a, highest_a.point);
    arm_b = ArmOf(b, pair.scale_b, highest_b.point);
    const double height =
        Dot(n, offset) + s * Dot(n, closing) + (Dot(e_b, arm_b) - Dot(e_a, arm_a));
    const double slope = Dot(n, closing) + Dot(turn_b, arm_b) - Dot(turn_a, arm_a);
    return {height - goal - s * s * curvature / 2 - margin * (1 + s * turning) - s * drift,
            slope - s * curvature - margin * turning - drift};
  }

  // From the pivot to a point of the shape.
  static Vec3d ArmOf(const BodyAt& at, double scale, const Vec3d& point) {
    return at.lever + at.R_W * (scale * point);
  }

  // Returns how far a body ever reaches along m from its pivot, whatever it turns by; one that does
  // not turn reaches `now`.
  static double Reach(const Body& body, const Vec3d& m, double now) {
    if (body.angle_rad == 0) return now;
    const double along = Dot(m, body.axis);
    return std::fmax(along * body.axis_low, along * body.axis_high) +
           Norm(Cross(m, body.axis)) * body.arm;
  }

  // The same interval from the wheels: their gap along n changes only by the closing of the pivots.
  double WheelStep(const Body& body_a, const Body& body_b, double longest) {
    (*this)(0);  // finds the supports along n
    const double now_a = Dot(n, arm_a);
    const double now_b = -Dot(n, arm_b);
    const double gap =
        Dot(n, offset) - Reach(body_a, n, now_a) - Reach(body_b, -n, now_b) - goal - 2 * margin;
    const double speed = drift - Dot(n, closing);
    if (!(gap > 0)) return 0;
    return gap >= speed * longest ? longest : gap / speed * (1 - 8 * kRoundoff);
  }

  // Returns the root of a concave F with F(0) > 0 > F(longest), from below: a chord from (0, F(0))
  // stays under F, a tangent above it. Newton's tangents bring the right end nearer until the
  // chord's root is near it.
  double Root(double start_height, double longest, Value at_longest) {
    double right = longest;
    Value value = at_longest;
    for (int k = 0; k < 8; ++k) {
      const double left =
          right * (start_height / (start_height - value.height)) * (1 - 8 * kRoundoff);
      if (left >= 0.9 * right || !(value.slope < 0)) return left;
      right -= value.height / value.slope;
      value = (*this)(right);
      if (value.height >= 0) return right;
    }
    return right * (start_height / (start_height - value.height)) * (1 - 8 * kRoundoff);
  }

  const ShapePair& pair;
  BodyAt a;
  BodyAt b;
  Vec3d n;
  double goal;
  Vec3d turn_a{};  // n x w_A
  Vec3d turn_b{};
  Vec3d offset{};        // from A's pivot to B's at t
  Vec3d closing{};       // B's displacement less A's
  double curvature = 0;  // M
  double turning = 0;    // |w_A| + |w_B|
  double margin = 0;     // rounding of the heights, per unit of |n + s n x w|
  double drift = 0;      // and of the paths, per unit of s
  Vec3d arm_a{};         // from A's pivot to its highest point along the last direction
  Vec3d arm_b{};
  VertexIndex last_a = 0;
  VertexIndex last_b = 0;
};

// The gap shrinks by at most the closing speed along the normal: Newton's step on the convex
// distance.
double RelativeMotion::TranslationStep(const CoreAnswer& core, const Dd& goal,
                                       double longest) const {
  const Vec3d closing = b_.displacement - a_.displacement;
  const double rounding = (HasWorldAxes(StartOf(a_moving_)) ? 8 : 104) * kRoundoff * Norm(closing);
  const double speed = rounding - Dot(a_.R0_W * core.n_A, closing);
  const double gap = ToDouble(core.lower - goal) * (1 - 4 * kRoundoff);
  return gap >= speed * longest ? longest : gap / speed;
}

RelativeMotion::Bound RelativeMotion::MakeBound(double t, const Vec3d& n_W, const Dd& goal) const {
  const BodyAt a = At(a_, t);
  const BodyAt b = At(b_, t);
  const double norm = Norm(n_W) * (1 + 8 * kRoundoff);  // the bound wants |n| <= 1
  const Vec3d n = {n_W.x / norm, n_W.y / norm, n_W.z / norm};
  Bound bound{.pair = pair_, .a = a, .b = b, .n = n, .goal = ToDouble(goal)};
  bound.turn_a = Cross(n, a_.rotation);
  bound.turn_b = Cross(n, b_.rotation);
  bound.offset = b.pivot - a.pivot;
  bound.closing = b_.displacement - a_.displacement;
  bound.curvature =
      (a_.angle_rad * Norm(bound.turn_a) * a_.arm + b_.angle_rad * Norm(bound.turn_b) * b_.arm) *
      (1 + 32 * kRoundoff);
  bound.turning = a_.angle_rad + b_.angle_rad;
  const double paths = Norm(b_.pivot0) + t * (Norm(a_.displacement) + Norm(b_.displacement));
  const double extent = pair_.radius_a + pair_.radius_b + Norm(a.lever) + Norm(b.lever) +
                        Norm(bound.offset) + bound.goal;
  const double supports = pair_.is_curved() ? 40 + 2 * kCurvedError : 40;
  bound.margin =
      (a.rotation_error + b.rotation_error + supports * kRoundoff) * extent + 4 * kRoundoff * paths;
  bound.drift = 8 * kRoundoff * Norm(bound.closing);
  return bound;
}

RelativeMotion::GapBounds RelativeMotion::GapFromStart(const Vec3d& n_W, const Dd& goal, double t) {
  if (is_translation()) SetLevers();
  Bound bound = MakeBound(0, n_W, goal);
  const double now = bound(0).height;
  return {now, bound(t).height};
}

double RelativeMotion::ProvedStep(double t, const CoreAnswer& core, const Dd& goal,
                                  double longest) const {
  if (is_translation()) return TranslationStep(core, goal, longest);
  Bound bound = MakeBound(t, At(a_, t).R_W * core.n_A, goal);
  const double wheel_step = bound.WheelStep(a_, b_, longest);
  if (wheel_step >= longest) return longest;
  const double start_height = bound(0).height;
  // A gap no wider than the margin is only noise.
  if (!(start_height > bound.margin)) return wheel_step;
  const Bound::Value at_longest = bound(longest);
  if (at_longest.height >= 0) return longest;
  return std::fmax(wheel_step, bound.Root(start_height, longest, at_longest));
}

}  // namespace clearance
