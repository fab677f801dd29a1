// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/polygon.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

namespace clearance::reference {
namespace {

// Appends p to a chain that turns left everywhere.
void Extend(const Vec2& p, std::size_t least, Polygon* chain) {
  while (chain->size() > least) {
    const Vec2& last = chain->back();
    const Vec2& before = (*chain)[chain->size() - 2];
    if (Cross(last - before, p - last) > 0) break;
    chain->pop_back();
  }
  chain->push_back(p);
}

struct Edge {
  Vec2 from;
  Vec2 to;
};

std::vector<Edge> EdgesOf(const Polygon& polygon) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    edges.push_back({polygon[i], polygon[(i + 1) % polygon.size()]});
  }
  return edges;
}

double DistanceOf(const Vec2& p, const Edge& e) {
  const Vec2 along = e.to - e.from;
  if (Dot(p - e.from, along) <= 0) return Norm(p - e.from);
  if (Dot(p - e.to, along) >= 0) return Norm(p - e.to);
  return std::fabs(Cross(along, p - e.from)) / Norm(along);
}

// If edges do not cross, an end of one is nearest to the other.
double DistanceOf(const Edge& e, const Edge& f) {
  return std::min(
      {DistanceOf(e.from, f), DistanceOf(e.to, f), DistanceOf(f.from, e), DistanceOf(f.to, e)});
}

int Sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

int SideOf(const Edge& e, const Vec2& p) { return Sign(Cross(e.to - e.from, p - e.from)); }

bool CrossProperly(const Edge& e, const Edge& f) {
  return SideOf(e, f.from) * SideOf(e, f.to) < 0 && SideOf(f, e.from) * SideOf(f, e.to) < 0;
}

bool Holds(const Polygon& polygon, const Vec2& p) {
  const std::vector<Edge> edges = EdgesOf(polygon);
  return std::all_of(edges.begin(), edges.end(), [&](const Edge& e) { return SideOf(e, p) >= 0; });
}

// If no edges cross properly, the corners of the common part of the polygons are vertices of one in
// the other. It has an area if these are not collinear.
bool HaveCommonArea(const Polygon& a, const Polygon& b) {
  std::vector<Vec2> common;
  std::copy_if(a.begin(), a.end(), std::back_inserter(common),
               [&](const Vec2& p) { return Holds(b, p); });
  std::copy_if(b.begin(), b.end(), std::back_inserter(common),
               [&](const Vec2& p) { return Holds(a, p); });
  return HullOf(std::move(common)).size() >= 3;
}

}  // namespace

double Norm(const Vec2& a) { return std::sqrt(Dot(a, a)); }

Polygon HullOf(std::vector<Vec2> points) {
  std::sort(points.begin(), points.end(),
            [](const Vec2& a, const Vec2& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 2) return points;
  Polygon hull;
  for (const Vec2& p : points) Extend(p, 1, &hull);
  const std::size_t lower = hull.size();
  for (auto p = points.rbegin() + 1; p != points.rend(); ++p) Extend(*p, lower, &hull);
  hull.pop_back();
  return hull;
}

int HighestByScan(const Polygon& polygon, const Vec2& d) {
  int best = 0;
  for (int i = 1; i < static_cast<int>(polygon.size()); ++i) {
    if (Dot(d, polygon[i]) > Dot(d, polygon[best])) best = i;
  }
  return best;
}

int HighestByClimbing(const Polygon& polygon, const Vec2& d, int start, int* looked_at) {
  const int n = static_cast<int>(polygon.size());
  int now = start;
  int count = 1;
  for (const int step : {1, n - 1}) {
    for (int left = n; left > 0; --left) {
      const int next = (now + step) % n;
      ++count;
      if (Dot(d, polygon[next]) < Dot(d, polygon[now])) break;
      now = next;
    }
  }
  if (looked_at != nullptr) *looked_at = count;
  return now;
}

PlaneFacts CompareByBruteForce(const Polygon& a, const Polygon& b) {
  double distance = std::numeric_limits<double>::infinity();
  bool overlap = HaveCommonArea(a, b);
  for (const Edge& e : EdgesOf(a)) {
    for (const Edge& f : EdgesOf(b)) {
      overlap = overlap || CrossProperly(e, f);
      distance = std::min(distance, DistanceOf(e, f));
    }
  }
  if (overlap) return {Contact::kOverlapping, 0};
  return {distance > 0 ? Contact::kSeparated : Contact::kTouching, distance};
}

}  // namespace clearance::reference
