// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/plane_epa.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "tests/support/reference/point_simplex.h"

namespace clearance::reference {
namespace {

constexpr int kMaxTurns = 200;

// A support is farther out than an edge if it is by more than the rounding of the two products,
// relative to |n| |w|.
constexpr double kFartherSlack = 16 * kUnit;

using Ring = std::vector<PlanePoint>;

// A second point other than the first.
void CompleteToLine(const Polygon& a, const Polygon& b, Ring* ring) {
  for (const Vec2& d : {Vec2{1, 0}, Vec2{-1, 0}, Vec2{0, 1}, Vec2{0, -1}}) {
    const PlanePoint other = Support(a, b, d);
    if (other.w == ring->front().w) continue;
    ring->push_back(other);
    return;
  }
}

// The farthest points on both sides of the line, if they are off it; counter-clockwise.
void CompleteToArea(const Polygon& a, const Polygon& b, Ring* ring) {
  const PlanePoint first = ring->front();
  const PlanePoint second = ring->back();
  const Vec2 along = second.w - first.w;
  const Vec2 left = {-along.y, along.x};
  const PlanePoint on_left = Support(a, b, left);
  const PlanePoint on_right = Support(a, b, -left);
  *ring = {first};
  if (Dot(left, on_right.w - first.w) < 0) ring->push_back(on_right);
  ring->push_back(second);
  if (Dot(left, on_left.w - first.w) > 0) ring->push_back(on_left);
}

void TurnCounterClockwise(Ring* ring) {
  const Vec2& o = ring->front().w;
  if (Cross((*ring)[1].w - o, (*ring)[2].w - o) < 0) std::swap((*ring)[1], (*ring)[2]);
}

// The point of the edge from ring[edge] that is nearest to the origin is at `t` of its length.
struct Nearest {
  std::size_t edge = 0;
  double t = 0;
  Vec2 n;  // outward, unit to rounding
  double distance = 0;
};

Nearest NearestOf(const Ring& ring, std::size_t edge) {
  const Vec2& from = ring[edge].w;
  const Vec2 along = ring[(edge + 1) % ring.size()].w - from;
  const double length = Norm(along);
  const double t = std::clamp(-Dot(from, along) / Dot(along, along), 0.0, 1.0);
  return {edge, t, (1 / length) * Vec2{along.y, -along.x}, Cross(from, along) / length};
}

// By the distance of the edge, not of its line: of several edges on one line only that counts which
// the origin faces.
Nearest NearestEdge(const Ring& ring) {
  Nearest nearest;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const Nearest other = NearestOf(ring, i);
    const Vec2& from = ring[i].w;
    const double distance = Norm(from + other.t * (ring[(i + 1) % ring.size()].w - from));
    if (distance >= least) continue;
    least = distance;
    nearest = other;
  }
  return nearest;
}

PlaneDepth CarryBack(const Ring& ring, const Nearest& nearest) {
  const PlanePoint& from = ring[nearest.edge];
  const PlanePoint& to = ring[(nearest.edge + 1) % ring.size()];
  return {nearest.distance, nearest.n, from.a + nearest.t * (to.a - from.a),
          from.b + nearest.t * (to.b - from.b), false};
}

}  // namespace

PlaneDepth DepthByExpansion(const Polygon& a, const Polygon& b,
                            const std::vector<PlanePoint>& simplex) {
  Ring ring = simplex;
  if (ring.size() == 1) CompleteToLine(a, b, &ring);
  if (ring.size() == 2) {
    CompleteToArea(a, b, &ring);
  } else {
    TurnCounterClockwise(&ring);
  }
  for (int turn = 0; turn < kMaxTurns; ++turn) {
    const Nearest nearest = NearestEdge(ring);
    const PlanePoint next = Support(a, b, nearest.n);
    if (Dot(nearest.n, next.w) - nearest.distance <= kFartherSlack * Norm(next.w)) {
      return CarryBack(ring, nearest);
    }
    ring.insert(ring.begin() + static_cast<std::ptrdiff_t>(nearest.edge) + 1, next);
  }
  PlaneDepth result = CarryBack(ring, NearestEdge(ring));
  result.hit_iteration_limit = true;
  return result;
}

}  // namespace clearance::reference
