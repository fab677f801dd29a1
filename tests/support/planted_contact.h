// SPDX-License-Identifier: Apache-2.0
//
// An oracle for bodies of every kind, curved ones too, that solves nothing. Pairs are placed so
// that a known point of A and a known point of B face each other across a known normal. Two bounds
// in 113 bits then tell the result, computed from the very doubles that the placing was rounded to.
//
//     lower   the gap between the supporting planes across the normal, from the bodies' supports in
//             closed form; no normal shows a gap wider than the signed distance
//     upper   the signed distance of two balls, one in each body and tangent to it from within at
//             its point (of radius 0 if there is none: then the points themselves)
//
// Both are bounds whatever the normal and the points. The placing makes them meet, to the square of
// the rounding over the distance of the balls' centres. The signed distance of overlapping bodies
// is minus the depth, so an overlap is known as deep as the balls go.
//
// Shares no code with core.

#pragma once

#include "core/math/vec3.h"
#include "core/shape/convex_shape.h"
#include "tests/support/body.h"
#include "tests/support/random.h"

namespace clearance::testing {

__extension__ typedef __float128 Quad;  // -Wpedantic accepts an extension in a typedef only
using QuadVec = Vec3<Quad>;

// A body of any kind: a polytope is `body` alone; a curved one has no points, and body.kind means
// nothing. Metres, sizes about 1.
struct Solid {
  CoreKind core = CoreKind::kPolytope;
  Vec3d extents;  // of a curved core, as CoreKind says
  Body body;
  Vec3d offset;  // exactly added to the pose's position

  bool is_curved() const { return core != CoreKind::kPolytope; }
};

// The shape under test; ends the process if it is refused.
ConvexShapePtr MakeShape(const Solid& solid);

// Returns an upper bound of the distance of the solid's points from its origin, metres.
double ReachOf(const Solid& solid);

// Points that face each other, whatever the positions of the bodies. World axes.
struct Contact {
  QuadVec n_AB;        // unit
  QuadVec point_a;     // on A's surface, from A's origin; no point of A is higher along n_AB
  QuadVec point_b;     // on B's surface, from B's origin; no point of B is lower
  Quad inner_radii{};  // of both tangent balls together
};

// A contact of the solids turned as they are: of any features, faces, edges, sides and rims alike.
Contact AnyContact(const Solid& a, const Solid& b, Random& random);

// Moves b so that its point is `gap` from A's along the normal, to rounding.
void PlaceAcross(const Contact& contact, const Solid& a, double gap, Solid* b);

// lower <= signed distance <= upper.
struct PlantedTruth {
  Quad lower{};
  Quad upper{};
};

// Returns the truth for the solids at their poses, b moved by `shift`.
PlantedTruth TruthOf(const Contact& contact, const Solid& a, const Solid& b,
                     const QuadVec& shift = {});

}  // namespace clearance::testing
