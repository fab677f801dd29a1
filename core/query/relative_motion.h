// SPDX-License-Identifier: Apache-2.0
//
// Two bodies along their motions, as a time of collision needs them: the place of B relative to A
// at a time, and how long a separating direction keeps its proof.
//
// A direction n, fixed in the world, proves the pair free while its gap is positive:
//     gap(t) = min over B of n . p_WB(t)  -  max over A of n . p_WA(t)  -  radii  -  target.
// A vertex at the lever arm r from its pivot has n . p(t + s) = n . pivot(t + s) + n . Exp(s w) r,
// and by Taylor's theorem
//     |n . Exp(s w) r - (n + s n x w) . r| <= s^2 / 2 |w| |n x w| |r perpendicular to w|.
// So the gap at t + s is at least G(s) - M s^2 / 2, where G(s) is one support of each shape along n
// + s n x w: a minimum of linear functions, hence concave, and so is the bound. A concave function
// that is positive at 0 and at s is positive in between: one evaluation proves a whole interval.
// This is conservative advancement (B. Mirtich, "Impulse-based dynamic simulation", 1996; X. Zhang,
// M. Lee and Y. Kim, "Interactive continuous collision detection for non-convex polyhedra", 2006),
// directional and of second order; for pure translation it is Newton's method on the exact
// distance, if a contact's plane (contact_plane.h) does not give the time at once.

#pragma once

#include <optional>

#include "core/math/rotation.h"
#include "core/math/vec3.h"
#include "core/narrow/core_distance.h"
#include "core/narrow/minkowski_difference.h"
#include "core/narrow/placement.h"
#include "core/query/contact_plane.h"
#include "core/query/time_of_collision.h"

namespace clearance {

// The facts about two moving shapes before anything turns. Keeps references to the shapes.
struct MotionStart {
  // `pacer` as ShapePair has it.
  MotionStart(const MovingShape& a, const MovingShape& b, Pacer* pacer = nullptr);

  // False if a displacement or a pivot is so much larger than the bodies and their distance that
  // squares of these would underflow beside it: then nothing can be proved.
  bool IsInRange() const;

  const CenterOffset offset;
  const ShapePair pair;
  const Vec3<DoubleDouble> p_AcBc_W;  // the offset in the units of the pair
};

// Returns both as a translating pair. `center_errors`: the sum of CenterError of both, units.
// Requires: neither turns.
TranslatingPair MakeTranslating(const MotionStart& start, const MovingShape& a,
                                const MovingShape& b, double center_errors);

// Returns the length by which the bodies may miss the goal (radii and target, units) at a hit,
// units.
double MotionTolerance(const ShapePair& pair, double goal);

// Returns how much more than at the start, at most, any point that is moved in a translation is
// off, units.
double ClosingErrorOf(double displacement_a, double displacement_b);

// From the origin of the shape's body to the shape's centre, world axes, metres.
Vec3d CenterFromOrigin(const MovingShape& moving);

class RelativeMotion {
 public:
  // Keeps references to both arguments' shapes and poses. `pacer` as ShapePair has it.
  RelativeMotion(const MovingShape& a, const MovingShape& b, Pacer* pacer = nullptr);

  const ShapePair& pair() const { return pair_; }

  // As MotionStart has it.
  bool IsInRange() const { return begin_.IsInRange(); }

  // True if neither body turns.
  bool is_translation() const { return a_.angle_rad == 0 && b_.angle_rad == 0; }

  Placement<double> CoarseAt(double t) const;
  // In full precision for translations; otherwise as CoarseAt, whose error is the rounding of the
  // rotations.
  Placement<DoubleDouble> FineAt(double t);

  // Returns the placement of B at the start, with everything it sweeps in [0, 1]. Requires:
  // is_translation().
  Placement<double> Swept() const;

  // Returns the pair that moves without turning. Requires: is_translation(). Refers to this.
  TranslatingPair Translating() const;

  // ClosingInA returns by how much B closes in on A in [0, 1], in A's axes at the start. Move any
  // point of CoarseAt(0) by a part of that. ClosingError returns by how much more it is then off
  // than at the start, at most. Requires: is_translation().
  Vec3d ClosingInA() const;
  double ClosingError() const;

  // No point moves farther than this in [0, 1], both bodies taken together, units, to rounding.
  double LongestPath() const;

  // A's axes in the world at time t.
  Mat3<double> AxesOfA(double t) const { return a_.angle_rad == 0 ? a_.R0_W : At(a_, t).R_W; }

  // A's centre in the world at time t, metres.
  Vec3d CenterOfA(double t) const;

  // The length s <= longest of an interval [t, t + s] in which the gap along the normal of `core`,
  // the answer at t, less `goal` (radii and target, units) is proved positive; 0 if rounding keeps
  // that from being proved.
  double ProvedStep(double t, const CoreAnswer& core, const DoubleDouble& goal,
                    double longest) const;

  // Bounds from below of the gap along n_W (any length but 0) at the start and at t, less `goal`,
  // units: of one concave function of time, so that the lesser holds in between.
  struct GapBounds {
    double now;
    double later;
  };
  GapBounds GapFromStart(const Vec3d& n_W, const DoubleDouble& goal, double t);

 private:
  // Units; O is A's pivot at t = 0.
  struct Body {
    Mat3<double> R0_W = IdentityMatrix<double>();
    Vec3d lever0;        // from the pivot to the shape's centre at t = 0, once SetLevers was called
    Vec3d pivot0;        // from O, on the same condition
    Vec3d displacement;  // of the pivot
    Vec3d rotation;
    double angle_rad = 0;
    double start_error = 0;  // of R0_W as an operator
    Vec3d axis;              // unit, of the rotation; 0 if there is none
    // The farthest of all points from the axis (at most), and the lowest and highest along it, from
    // the pivot.
    double arm = 0;
    double axis_low = 0;
    double axis_high = 0;
  };
  struct BodyAt {
    Mat3<double> R_W;
    Vec3d lever;
    Vec3d pivot;
    double rotation_error = 0;  // of R_W as an operator
  };
  struct Bound;

  Bound MakeBound(double t, const Vec3d& n_W, const DoubleDouble& goal) const;
  Body MakeBody(const MovingShape& moving) const;
  // Sets the places of the bodies from their pivots, which matter to bodies that turn and to
  // GapFromStart.
  void SetLevers();
  void SetLever(const MovingShape& moving, const Vec3d& pivot, Body* body) const;
  static void MeasureWheel(const ConvexShape& shape, double scale, Body* body);
  static void MeasureCurvedWheel(const ConvexShape& shape, double scale, Body* body);
  static BodyAt At(const Body& body, double t);
  Placement<double> RotatingAt(double t) const;
  double TranslationStep(const CoreAnswer& core, const DoubleDouble& goal, double longest) const;
  CenterOffset OffsetAt(double t) const;
  template <class T>
  Placement<T> TranslatedAt(double t, const RelativeAxes<T>& axes) const;

  const MovingShape a_moving_;
  const MovingShape b_moving_;
  const MotionStart begin_;
  const ShapePair& pair_;                                // that of begin_
  std::optional<RelativeAxes<DoubleDouble>> fine_axes_;  // of translations, once asked for
  Body a_;
  Body b_;
  RelativeAxes<double> coarse_axes_;
};

}  // namespace clearance
