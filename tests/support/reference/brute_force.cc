// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/brute_force.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace clearance::reference {
namespace {

// Equal differences once.
Points AllDifferences(const DifferenceSets& sets) {
  Points all;
  for (const Vec3d& a : sets.a) {
    for (const Vec3d& b : sets.b) {
      if (std::find(all.begin(), all.end(), a - b) == all.end()) all.push_back(a - b);
    }
  }
  return all;
}

// The squared distance of the origin from the segment if its projection falls inside.
void TrySegment(const Vec3d& a, const Vec3d& b, double* least_square) {
  const Vec3d ab = b - a;
  if (Dot(ab, a) >= 0 || Dot(ab, b) <= 0) return;
  *least_square = std::min(*least_square, NormSquared(Cross(ab, a)) / NormSquared(ab));
}

// The plane across three differences, and how the others lie: n . w between low and high.
struct Plane {
  Vec3d n;
  double offset = 0;
  double low = 0;
  double high = 0;
};

Plane MakePlane(const Points& all, const Vec3d& a, const Vec3d& n) {
  Plane plane = {n, Dot(n, a), Dot(n, a), Dot(n, a)};
  for (const Vec3d& w : all) {
    const double height = Dot(n, w);
    plane.low = std::min(plane.low, height);
    plane.high = std::max(plane.high, height);
  }
  return plane;
}

// The same for a triangle whose plane has the normal n.
void TryTriangle(const std::array<Vec3d, 3>& t, const Vec3d& n, double* least_square) {
  for (int i = 0; i < 3; ++i) {
    if (Dot(Cross(n, t[(i + 1) % 3] - t[i]), -t[i]) < 0) return;
  }
  const double height = Dot(n, t[0]);
  *least_square = std::min(*least_square, height * height / NormSquared(n));
}

struct Facts {
  double least_square = std::numeric_limits<double>::infinity();
  double least_offset = std::numeric_limits<double>::infinity();  // of planes that support
  bool is_solid = false;
  bool has_plane_through_origin = false;
};

void LookAtTriple(const Points& all, const std::array<Vec3d, 3>& t, Facts* facts) {
  const Vec3d n = Cross(t[1] - t[0], t[2] - t[0]);
  if (n == Vec3d{}) return;
  TryTriangle(t, n, &facts->least_square);
  const Plane plane = MakePlane(all, t[0], n);
  if (plane.low != plane.high) facts->is_solid = true;
  if (plane.low != plane.offset && plane.high != plane.offset) return;
  if (plane.offset == 0) facts->has_plane_through_origin = true;
  facts->least_offset =
      std::min(facts->least_offset, std::fabs(plane.offset) / std::sqrt(NormSquared(n)));
}

Facts LookAtAll(const Points& all) {
  Facts facts;
  for (std::size_t i = 0; i < all.size(); ++i) {
    facts.least_square = std::min(facts.least_square, NormSquared(all[i]));
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      TrySegment(all[i], all[j], &facts.least_square);
      for (std::size_t k = j + 1; k < all.size(); ++k) {
        LookAtTriple(all, {all[i], all[j], all[k]}, &facts);
      }
    }
  }
  return facts;
}

// Some supporting plane has the origin strictly beyond it.
bool IsOutside(const Points& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      for (std::size_t k = j + 1; k < all.size(); ++k) {
        const Vec3d n = Cross(all[j] - all[i], all[k] - all[i]);
        const Plane plane = MakePlane(all, all[i], n);
        if (plane.low == plane.offset && plane.offset > 0) return true;
        if (plane.high == plane.offset && plane.offset < 0) return true;
      }
    }
  }
  return false;
}

}  // namespace

BruteForceResult DistanceByBruteForce(const DifferenceSets& sets) {
  const Points all = AllDifferences(sets);
  const Facts facts = LookAtAll(all);
  // Without volume there may be no plane that tells, but then nothing hides the nearest point.
  const bool is_outside = facts.is_solid ? IsOutside(all) : facts.least_square > 0;
  if (is_outside) return {OriginAt::kOutside, std::sqrt(facts.least_square)};
  if (!facts.is_solid || facts.has_plane_through_origin) return {OriginAt::kBoundary, 0};
  return {OriginAt::kInside, -facts.least_offset};
}

}  // namespace clearance::reference
