// SPDX-License-Identifier: Apache-2.0
//
// Convex polygons of the plane for the reference solvers: their hull, two support mappings, and the
// quadratic brute force over all pairs of edges. On integers below 2^20 in absolute value all signs
// are exact.
//
// Supports: a scan of all vertices, and hill climbing along the order of the vertices. Along a
// convex polygon the height in any direction rises to its top and falls again, so climbing both
// ways finds it. If vertices lie on an edge, a climb that goes on only while the next one is
// strictly higher stalls in the middle of the bottom. This one crosses equal heights, once around
// at most.

#pragma once

#include <vector>

namespace clearance::reference {

struct Vec2 {
  double x = 0;
  double y = 0;

  friend bool operator==(const Vec2&, const Vec2&) = default;
};

inline Vec2 operator+(const Vec2& a, const Vec2& b) { return {a.x + b.x, a.y + b.y}; }
inline Vec2 operator-(const Vec2& a, const Vec2& b) { return {a.x - b.x, a.y - b.y}; }
inline Vec2 operator-(const Vec2& a) { return {-a.x, -a.y}; }
inline Vec2 operator*(double s, const Vec2& a) { return {s * a.x, s * a.y}; }
inline double Dot(const Vec2& a, const Vec2& b) { return a.x * b.x + a.y * b.y; }
// > 0 if b is to the left of a.
inline double Cross(const Vec2& a, const Vec2& b) { return a.x * b.y - a.y * b.x; }
double Norm(const Vec2& a);

// Vertices in counter-clockwise order, no three of them collinear; at least three.
using Polygon = std::vector<Vec2>;

// The hull by Andrew's monotone chain (1979). Fewer than three vertices if the points are
// collinear.
Polygon HullOf(std::vector<Vec2> points);

int HighestByScan(const Polygon& polygon, const Vec2& d);

// From `start` on, also of polygons with vertices on edges; counts the vertices looked at in
// `*looked_at` if not null.
int HighestByClimbing(const Polygon& polygon, const Vec2& d, int start, int* looked_at = nullptr);

enum class Contact { kSeparated, kTouching, kOverlapping };

// The result of brute force: the least distance of two edges, and the relation of the interiors.
struct PlaneFacts {
  Contact contact = Contact::kSeparated;
  double distance = 0;  // of kSeparated
};
PlaneFacts CompareByBruteForce(const Polygon& a, const Polygon& b);

}  // namespace clearance::reference
