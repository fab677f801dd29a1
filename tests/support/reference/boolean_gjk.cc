// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/boolean_gjk.h"

#include <array>

namespace clearance::reference {
namespace {

constexpr int kMaxTurns = 100;

bool IsZero(const Vec3d& v) { return v == Vec3d{}; }

// A vertex, edge or face of the simplex, in whose region the origin lies. `direction` leads from it
// to the origin; 0 if the origin is on it.
struct Feature {
  int size = 0;
  std::array<Vec3d, 3> point;
  Vec3d direction;
};

// The squared distance of the origin from the feature's plane, line or point.
struct Ratio {
  double numerator = 0;
  double denominator = 1;
};

Ratio SquaredDistance(const Feature& f) {
  if (f.size == 1) return {NormSquared(f.point[0]), 1};
  const Vec3d ab = f.point[1] - f.point[0];
  if (f.size == 2) return {NormSquared(Cross(ab, f.point[0])), NormSquared(ab)};
  const Vec3d n = Cross(ab, f.point[2] - f.point[0]);
  const double height = Dot(n, f.point[0]);
  return {height * height, NormSquared(n)};
}

// Compared without division, which would round. No feature (size 0) is the farthest.
Feature Nearer(const Feature& left, const Feature& right) {
  if (left.size == 0) return right;
  const Ratio l = SquaredDistance(left);
  const Ratio r = SquaredDistance(right);
  return r.numerator * l.denominator < l.numerator * r.denominator ? right : left;
}

Feature Vertex(const Vec3d& a) { return {1, {a}, -a}; }

Feature Segment(const Vec3d& a, const Vec3d& b) {
  const Vec3d ab = b - a;
  if (Dot(ab, a) >= 0) return Vertex(a);
  if (Dot(ab, b) <= 0) return Vertex(b);
  return {2, {a, b}, Cross(Cross(ab, -a), ab)};
}

// Returns the face, or the nearest of the edges that the origin is outside of. Requires: not
// collinear.
Feature Triangle(const std::array<Vec3d, 3>& t) {
  const Vec3d n = Cross(t[1] - t[0], t[2] - t[0]);
  Feature best;
  for (int i = 0; i < 3; ++i) {
    const Vec3d& a = t[i];
    const Vec3d& b = t[(i + 1) % 3];
    if (Dot(Cross(b - a, n), -a) > 0) best = Nearer(best, Segment(a, b));
  }
  if (best.size > 0) return best;
  const double height = Dot(n, t[0]);
  return {3, t, height == 0 ? Vec3d{} : height < 0 ? n : -n};
}

// Returns the nearest feature of those faces at the newest point that the origin is outside of;
// size 0 if there is none and the origin is inside. Requires: not coplanar.
Feature Tetrahedron(const Vec3d& newest, const std::array<Vec3d, 3>& others) {
  Feature best;
  for (int i = 0; i < 3; ++i) {
    const Vec3d& b = others[i];
    const Vec3d& c = others[(i + 1) % 3];
    const Vec3d& opposite = others[(i + 2) % 3];
    const Vec3d n = Cross(b - newest, c - newest);
    const bool is_same_side = Dot(n, opposite - newest) * -Dot(n, newest) > 0;
    if (!is_same_side) best = Nearer(best, Triangle({newest, b, c}));
  }
  return best;
}

Feature Next(const Feature& f, const Vec3d& w) {
  if (f.size == 1) return Segment(w, f.point[0]);
  if (f.size == 2) return Triangle({w, f.point[0], f.point[1]});
  return Tetrahedron(w, f.point);
}

}  // namespace

BooleanResult ShareAPoint(const DifferenceSets& sets) {
  Feature feature = Vertex(sets.At(0, 0, false).w);
  BooleanResult result;
  while (result.turns < kMaxTurns) {
    if (feature.size == 0 || IsZero(feature.direction)) {
      result.common = Common::kPoint;
      return result;
    }
    const Vec3d w = sets.Support(feature.direction).w;
    ++result.turns;
    if (Dot(feature.direction, w) < 0) {
      result.common = Common::kNone;
      return result;
    }
    feature = Next(feature, w);
  }
  return result;
}

}  // namespace clearance::reference
