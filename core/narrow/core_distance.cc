// SPDX-License-Identifier: Apache-2.0

#include "core/narrow/core_distance.h"

#include <algorithm>
#include <cmath>

#include "core/math/assert.h"
#include "core/math/rounding.h"
#include "core/math/tolerance.h"
#include "core/narrow/box_sat.h"

namespace clearance {
namespace {

using Dd = DoubleDouble;
using Kind = CoreAnswer::Kind;

GjkLimits LimitsOf(const CoreLimits& limits) {
  return {limits.stop_above, limits.stop_below, limits.good_enough, RoundUp(limits.decide_at),
          limits.max_iterations};
}

// v points from B to A: the normal is against it.
template <class T>
Vec3d NormalAgainst(const Vec3<T>& v) {
  return ToDouble((T(-1) / Sqrt(NormSquared(v))) * v);
}

template <class T>
void SetWitness(const Simplex<T>& simplex, CoreWitness* witness) {
  Vec3<T> p_A, w_A;
  for (int i = 0; i < simplex.size; ++i) {
    p_A = p_A + simplex.weight[i] * simplex.vertex[i].p_A;
    w_A = w_A + simplex.weight[i] * simplex.vertex[i].w;
  }
  witness->p_A = ToDouble(p_A);
  witness->w_A = ToDouble(w_A);
  witness->size = simplex.size;
  for (int i = 0; i < witness->size; ++i) {
    witness->a[i] = simplex.vertex[i].a;
    witness->b[i] = simplex.vertex[i].b;
    witness->weight[i] = ToDouble(simplex.weight[i]);
  }
}

template <class T>
void SetWitness(const EnclosingSet<T>& set, CoreWitness* witness) {
  witness->size = set.size;
  for (int i = 0; i < witness->size; ++i) {
    witness->a[i] = set.vertex[i].a;
    witness->b[i] = set.vertex[i].b;
    witness->weight[i] = 0;
  }
}

// Returns the sum of a value as computed and a double, exactly or to double-double's rounding.
Dd Plus(double value, double addend) { return SumOf(value, addend); }
Dd Plus(const Dd& value, double addend) { return value + Dd(addend); }

// Sets the answer of a search that ended outside of the origin: the plane of the last support
// bounds it from below, the point v from above.
template <class T>
void SetSeparated(const GjkResult<T>& gjk, double error, CoreAnswer* answer) {
  answer->lower = Plus(gjk.lower, -error);
  answer->upper = Plus(gjk.upper, error);
  answer->distance = Dd(gjk.upper);
  answer->n_A = NormalAgainst(gjk.v);
  answer->normal_is_unique = true;
  SetWitness(gjk.simplex, &answer->witness);
}

Simplex<double> Coarse(const Simplex<Dd>& fine) {
  Simplex<double> simplex;
  simplex.size = fine.size;
  for (int i = 0; i < fine.size; ++i) {
    const MinkowskiVertex<Dd>& vertex = fine.vertex[i];
    simplex.vertex[i] = {ToDouble(vertex.w), ToDouble(vertex.p_A), vertex.a, vertex.b,
                         vertex.is_swept};
    simplex.weight[i] = ToDouble(fine.weight[i]);
  }
  return simplex;
}

// Returns a start for curved cores, whose points have no names to find them again by: the highest
// vertex towards the origin from where the simplex came closest to it.
template <class T>
Simplex<T> Resumed(const Simplex<double>& simplex, MinkowskiDifference<T>& difference) {
  Vec3d v;
  for (int i = 0; i < simplex.size; ++i) v = v + simplex.weight[i] * simplex.vertex[i].w;
  Simplex<T> resumed;
  if (v == Vec3d{}) return resumed;
  resumed.size = 1;
  resumed.vertex[0] = difference.Support(To<T>(-v));
  return resumed;
}

// The vertices of a simplex at another placement, or in another precision.
template <class T>
Simplex<T> Moved(const Simplex<double>& simplex, MinkowskiDifference<T>& difference) {
  if (difference.pair().is_curved()) return Resumed(simplex, difference);
  Simplex<T> moved;
  moved.size = simplex.size;
  for (int i = 0; i < simplex.size; ++i) {
    moved.vertex[i] =
        difference.At(simplex.vertex[i].a, simplex.vertex[i].b, simplex.vertex[i].is_swept);
  }
  if (simplex.size > 0) difference.StartAt(simplex.vertex[0].a, simplex.vertex[0].b);
  return moved;
}

template <class T>
EnclosingSet<T> SetOf(const Simplex<T>& simplex) {
  EnclosingSet<T> set;
  set.size = simplex.size;
  for (int i = 0; i < simplex.size; ++i) set.vertex[i] = simplex.vertex[i];
  return set;
}

template <class T>
Penetration Grown(MinkowskiDifference<T>& difference, const EnclosingSet<T>& set,
                  const CoreLimits& limits) {
  return ComputePenetration(difference, set, {limits.good_enough, limits.depth_proof});
}

Penetration PenetrationOf(MinkowskiDifference<Dd>& difference, const EnclosingSet<Dd>& set,
                          const CoreLimits& limits) {
  return Grown(difference, set, limits);
}

// For boxes the axes nearly always give the depth; a polytope needs to grow only for the proof.
Penetration PenetrationOf(MinkowskiDifference<double>& difference, const EnclosingSet<double>& set,
                          const CoreLimits& limits) {
  Penetration depth;
  if (limits.box_depth != nullptr) {
    depth = *limits.box_depth;
  } else if (AreBoxes(difference.pair())) {
    FindBoxPenetration(difference, &depth);
  }
  if (!depth.is_known) return Grown(difference, set, limits);
  // Whatever width of the bracket is enough: the proof must show the depth that the axes give.
  if (limits.depth_proof != nullptr) {
    ComputePenetration(difference, set, {.good_enough = 0, .proof = limits.depth_proof});
  }
  return depth;
}

// Sets the result of the search for the depth of overlapping cores, and the bounds of it that are
// tighter than the answer's; returns false if there is none. The hull of `set` holds the origin
// strictly inside.
template <class T>
bool SetDepth(MinkowskiDifference<T>& difference, const EnclosingSet<T>& set,
              const CoreLimits& limits, CoreAnswer* answer) {
  const Penetration depth = PenetrationOf(difference, set, limits);
  if (!depth.is_known) return false;
  if (depth.at_most < -answer->lower) answer->lower = -depth.at_most;
  if (Dd(depth.at_least) > -answer->upper) answer->upper = Dd(-depth.at_least);
  answer->distance = -depth.height;
  answer->n_A = depth.n_A;
  answer->normal_is_unique = depth.normal_is_unique;
  answer->witness.p_A = depth.p_A;
  return true;
}

// The hull of `set` holds the ball.
template <class T>
void SetInside(const EnclosingSet<T>& set, const InnerBall<T>& ball, CoreAnswer* answer) {
  answer->kind = Kind::kOverlapping;
  answer->upper = Dd(-ball.radius);
  answer->lower = -std::numeric_limits<double>::infinity();
  SetWitness(set, &answer->witness);
}

// The overlap is at most as deep as A - B is high over the origin along the normal of the ball's
// nearest facet.
template <class T>
void SetHeight(MinkowskiDifference<T>& difference, const InnerBall<T>& ball, CoreAnswer* answer) {
  const Dd height(Dot(ball.n_A, difference.Support(ball.n_A).w));
  answer->distance = -height;
  answer->lower = -(height + Dd(difference.rounding_error()));
  answer->n_A = ToDouble(ball.n_A);
  answer->normal_is_unique = false;
}

// A search that ended with the origin inside its simplex. False if rounding may have put it there.
template <class T>
bool ProvesOverlap(MinkowskiDifference<T>& difference, const Simplex<T>& simplex,
                   const CoreLimits& limits, CoreAnswer* answer) {
  const EnclosingSet<T> set = SetOf(simplex);
  const InnerBall<T> ball = ComputeInnerBall(set, difference.rounding_error());
  if (!(ball.radius > 0)) return false;
  SetWitness(simplex, &answer->witness);
  SetInside(set, ball, answer);
  if (limits.wants_depth && SetDepth(difference, set, limits, answer)) return true;
  SetHeight(difference, ball, answer);
  return true;
}

// Returns the simplex of a search in double-double that reached the origin, without the vertices
// that the origin does not need beyond rounding. One weight at least is a quarter.
Simplex<Dd> Essential(const Simplex<Dd>& simplex) {
  Simplex<Dd> essential = simplex;
  unsigned mask = 0;
  for (int i = 0; i < simplex.size; ++i) {
    if (ToDouble(simplex.weight[i]) > kNegligibleWeight) mask |= 1u << i;
  }
  essential.Keep(mask);
  return essential;
}

void SetCertificate(MinkowskiDifference<Dd>& difference, const GjkResult<Dd>& gjk,
                    const CoreLimits& limits, CoreAnswer* answer) {
  const double error = difference.rounding_error();
  const Simplex<Dd> essential = Essential(gjk.simplex);
  const OriginCertificate certificate = CertifyOrigin(difference, essential);
  SetWitness(essential, &answer->witness);
  answer->lower = -(certificate.plane_height + Dd(error));
  answer->n_A = ToDouble(certificate.n_A);
  if (certificate.kind == OriginCertificate::Kind::kEnclosed) {
    answer->kind = Kind::kOverlapping;
    answer->distance = -certificate.plane_height;
    answer->upper = Dd(-certificate.inner_radius);
    answer->normal_is_unique = false;
    SetWitness(certificate.set, &answer->witness);
    if (limits.wants_depth) SetDepth(difference, certificate.set, limits, answer);
    return;
  }
  if (certificate.kind == OriginCertificate::Kind::kTouching) {
    answer->kind = Kind::kTouching;
    answer->normal_is_unique = certificate.normal_is_unique;
  }
  answer->upper = gjk.upper + Dd(error);
  answer->distance = gjk.upper;
}

// True if the bracket is on one side of limits.decide_at, and farther from it than it is wide: a
// nearer bracket is worth narrowing.
bool Decides(const GjkResult<double>& gjk, double error, const CoreLimits& limits) {
  // Nearly always plain numbers show it: their own rounding, a few u of the extent, is below half
  // of `error`, which is 16 u of it at least, and the width, counted twice here, is no less than
  // that.
  const double coarse_width = (gjk.upper - gjk.lower) + 2 * error;
  if ((gjk.lower - error) - 2 * coarse_width > limits.decide_at.hi) return true;
  const Dd lower = SumOf(gjk.lower, -error), upper = SumOf(gjk.upper, error);
  const Dd width = upper - lower;
  return lower - width > limits.decide_at || upper + width < limits.decide_at;
}

// True if the weights make the point v. The points come from the weights and the normal from v. The
// two may differ for a curved core, and for a sliver seen from far away, whose plane is known less
// well than its distance.
bool DoWeightsMakeNearest(const GjkResult<double>& gjk, const ShapePair& pair,
                          const CoreLimits& limits) {
  Vec3d miss = -gjk.v;
  for (int i = 0; i < gjk.simplex.size; ++i) {
    miss = miss + gjk.simplex.weight[i] * gjk.simplex.vertex[i].w;
  }
  const double rounding = kRoundingTolerance * kRoundoff * (limits.size_sum + gjk.upper);
  return Norm(miss) <= rounding + (pair.is_curved() ? kCurvedPointSlack * limits.size_sum : 0);
}

// True if the bracket is narrow enough to be final: within tau, and with ends that agree but for
// rounding.
bool IsNarrow(const GjkResult<double>& gjk, double error, const ShapePair& pair,
              const CoreLimits& limits) {
  if (!DoWeightsMakeNearest(gjk, pair, limits)) return false;
  const double gap = gjk.upper - gjk.lower;
  const double extent = gjk.upper + pair.radius_a + pair.radius_b;
  const double tolerance = Tolerance(limits.size_sum, gjk.upper - ToDouble(limits.decide_at));
  const bool is_within_tolerance = gap + 2 * error <= tolerance;
  return (is_within_tolerance && gap <= kFastGap * kRoundoff * extent) ||
         gap + 2 * error <= limits.good_enough;
}

}  // namespace

double Tolerance(double size_sum, double distance) {
  return std::max(kRelativeTolerance * size_sum,
                  kRoundingTolerance * kRoundoff * (size_sum + std::fabs(distance)));
}

bool IsTight(const MinkowskiDifference<double>& difference, const GjkResult<double>& gjk,
             const CoreLimits& limits) {
  const double error = difference.rounding_error();
  return Decides(gjk, error, limits) && IsNarrow(gjk, error, difference.pair(), limits);
}

bool SetIfTight(const MinkowskiDifference<double>& difference, const GjkResult<double>& gjk,
                const CoreLimits& limits, CoreAnswer* answer) {
  if (!IsTight(difference, gjk, limits)) return false;
  SetSeparated(gjk, difference.rounding_error(), answer);
  answer->kind = Kind::kSeparated;
  answer->hit_iteration_limit = false;
  return true;
}

GjkResult<double> SearchFast(MinkowskiDifference<double>& difference, const CoreLimits& limits) {
  Simplex<double> start;
  if (limits.start != nullptr) start = Moved(*limits.start, difference);
  return Gjk(difference, start, LimitsOf(limits));
}

bool TakeTetrahedron(MinkowskiDifference<double>& difference, const VertexPairs& names,
                     const CoreLimits& limits, CoreAnswer* answer) {
  CLEARANCE_ASSERT(!difference.pair().is_curved() && limits.wants_depth);
  EnclosingSet<double> set;
  set.size = names.size;
  for (int i = 0; i < names.size; ++i) {
    set.vertex[i] = difference.At(names.a[i], names.b[i], false);
  }
  difference.StartAt(names.a[0], names.b[0]);
  const InnerBall<double> ball = ComputeInnerBall(set, difference.rounding_error());
  if (!(ball.radius > 0)) return false;
  SetInside(set, ball, answer);
  answer->hit_iteration_limit = false;
  return SetDepth(difference, set, limits, answer);
}

bool SolveFast(MinkowskiDifference<double>& difference, const CoreLimits& limits,
               CoreAnswer* answer) {
  return TakeSearch(difference, SearchFast(difference, limits), limits, answer);
}

bool TakeSearch(MinkowskiDifference<double>& difference, const GjkResult<double>& gjk,
                const CoreLimits& limits, CoreAnswer* answer) {
  answer->simplex = gjk.simplex;
  answer->iterations = gjk.iterations;
  if (gjk.end == GjkEnd::kEnclosed) return ProvesOverlap(difference, gjk.simplex, limits, answer);
  if (gjk.end == GjkEnd::kAtOrigin) return false;
  if (gjk.end == GjkEnd::kAbove || gjk.end == GjkEnd::kBelow) {
    SetSeparated(gjk, difference.rounding_error(), answer);
    answer->kind = gjk.end == GjkEnd::kAbove ? Kind::kAbove : Kind::kBelow;
    return true;
  }
  return SetIfTight(difference, gjk, limits, answer);
}

void SolvePrecisely(MinkowskiDifference<Dd>& difference, const CoreLimits& limits,
                    CoreAnswer* answer) {
  const GjkResult<Dd> gjk = Gjk(difference, Moved(answer->simplex, difference), LimitsOf(limits));
  answer->iterations += gjk.iterations;
  answer->simplex = Coarse(gjk.simplex);
  answer->hit_iteration_limit = gjk.end == GjkEnd::kIterationLimit;
  switch (gjk.end) {
    case GjkEnd::kEnclosed:
      if (ProvesOverlap(difference, gjk.simplex, limits, answer)) return;
      return SetCertificate(difference, gjk, limits, answer);
    case GjkEnd::kAtOrigin:
      return SetCertificate(difference, gjk, limits, answer);
    case GjkEnd::kAbove:
      answer->kind = Kind::kAbove;
      break;
    case GjkEnd::kBelow:
      answer->kind = Kind::kBelow;
      break;
    case GjkEnd::kConverged:
      answer->kind = Kind::kSeparated;
      break;
    case GjkEnd::kIterationLimit:
      answer->kind = Kind::kUnknown;
      break;
  }
  SetSeparated(gjk, difference.rounding_error(), answer);
}

}  // namespace clearance
