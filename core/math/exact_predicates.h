// SPDX-License-Identifier: Apache-2.0
//
// Which side a point is on, with no rounding: a floating-point filter answers nearly always,
// expansions the rest (Shewchuk 1997).
//
// Exact for coordinates that are on the predicate grid: |c| <= 1 and c is a multiple of 2^-358.
// Then every product of three differences is a multiple of 2^-1074 and no partial result can
// underflow.

#pragma once

#include "core/math/vec3.h"

namespace clearance {

// A point of one of the coordinate planes.
struct Vec2d {
  double x = 0;
  double y = 0;
};

// The nearest number on the grid; one that is on it stays. Requires: |coordinate| <= 1.
double RoundToPredicateGrid(double coordinate);

// The sign of (b - a) x (c - a): 1 if a, b, c turn left, -1 if right, 0 if they are collinear.
int Orient2d(const Vec2d& a, const Vec2d& b, const Vec2d& c);

// The sign of ((b - a) x (c - a)) . (p - a): 1 if p is in front of the triangle, -1 behind, 0 in
// its plane. From the front, a, b, c turn left.
int Orient3d(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& p);

// A plane to ask about many points of the grid: where |normal . (p - a)|, evaluated in double, is
// above `certain`, its sign is that of Orient3d(a, b, c, p).
struct OrientedPlane {
  Vec3d normal;  // (b - a) x (c - a), rounded
  double certain = 0;
};
OrientedPlane PlaneOf(const Vec3d& a, const Vec3d& b, const Vec3d& c);

// True if a line goes through all three.
bool AreCollinear(const Vec3d& a, const Vec3d& b, const Vec3d& c);

}  // namespace clearance
