// SPDX-License-Identifier: Apache-2.0
#include "tests/support/large_hulls.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace clearance::testing {
namespace {

using Points = std::vector<Vec3d>;

Vec3d Stretched(const Vec3d& p, const Vec3d& factors) {
  return {factors.x * p.x, factors.y * p.y, factors.z * p.z};
}

Points Ellipsoid(int count, const Vec3d& axes, Random& random) {
  Points points;
  for (int i = 0; i < count; ++i) points.push_back(Stretched(random.Direction(), axes));
  return points;
}

void AppendRing(int count, double radius, double z, Points* points) {
  for (int i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * i / count;
    points->push_back({radius * std::cos(angle), radius * std::sin(angle), z});
  }
}

Points Prism(int count) {
  Points points;
  AppendRing(count / 2, 1, -1, &points);
  AppendRing(count / 2, 1, 1, &points);
  return points;
}

// Rings of equal corners in the shape of a sphere.
Points Barrel(int count) {
  const int rings = std::max(2, static_cast<int>(std::sqrt(count / 2)));
  Points points;
  for (int i = 0; i < rings; ++i) {
    const double latitude = std::numbers::pi * ((i + 0.5) / rings - 0.5);
    AppendRing(std::max(3, count / rings), std::cos(latitude), std::sin(latitude), &points);
  }
  return points;
}

Points Cone(int count) {
  Points points = {{0, 0, 1}};
  AppendRing(count - 1, 1, 0, &points);
  return points;
}

Points Spindle(int count) {
  Points points = {{0, 0, 1}, {0, 0, -1}};
  AppendRing(count - 2, 1, 0, &points);
  return points;
}

// The corners of each face are a disc of the plane around a polygon, so all of them are extreme.
Points RoundedBox(int count) {
  Points points;
  for (const double side : {-1.0, 1.0}) {
    Points disc;
    AppendRing(std::max(4, count / 6), 0.8, side, &disc);
    for (const Vec3d& p : disc) {
      points.insert(points.end(), {{p.x, p.y, p.z}, {p.y, p.z, p.x}, {p.z, p.x, p.y}});
    }
  }
  return points;
}

Points Clusters(int count, Random& random) {
  constexpr double kSpread = 1e-6;
  Points points = Ellipsoid(count / 2, {1, 1, 1}, random);
  std::array<Vec3d, 8> corners;
  for (Vec3d& corner : corners) corner = random.Direction();
  while (static_cast<int>(points.size()) < count) {
    const Vec3d p = corners[random.Below(8)] + kSpread * random.Direction();
    points.push_back((1 / std::sqrt(NormSquared(p))) * p);
  }
  return points;
}

Points Aligned(HullFamily family, int count, Random& random) {
  switch (family) {
    case HullFamily::kSphere:
      return Ellipsoid(count, {1, 1, 1}, random);
    case HullFamily::kNeedle:
      return Ellipsoid(count, {1, 0.001, 0.001}, random);
    case HullFamily::kPancake:
      return Ellipsoid(count, {1, 1, 0.001}, random);
    case HullFamily::kPrism:
      return Prism(count);
    case HullFamily::kBarrel:
      return Barrel(count);
    case HullFamily::kCone:
      return Cone(count);
    case HullFamily::kSpindle:
      return Spindle(count);
    case HullFamily::kRoundedBox:
      return RoundedBox(count);
    case HullFamily::kClusters:
      break;
  }
  return Clusters(count, random);
}

}  // namespace

const char* Name(HullFamily family) {
  static constexpr std::array names = {"sphere", "needle",  "pancake",     "prism",   "barrel",
                                       "cone",   "spindle", "rounded_box", "clusters"};
  static_assert(names.size() == kHullFamilyCount);
  return names[static_cast<std::size_t>(family)];
}

std::vector<Vec3d> PointsOf(HullFamily family, int count, bool is_aligned, Random& random) {
  Points points = Aligned(family, count, random);
  if (is_aligned) return points;
  const Quaternion q = random.Rotation();
  const Vec3d v = {q.x, q.y, q.z};
  for (Vec3d& p : points) p = p + 2.0 * Cross(v, Cross(v, p) + q.w * p);
  return points;
}

}  // namespace clearance::testing
