// SPDX-License-Identifier: Apache-2.0

#include "core/narrow/portal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/math/assert.h"
#include "core/math/tolerance.h"

namespace clearance {
namespace {

using Vertex = MinkowskiVertex<double>;

// Twice the signed area, seen along the ray, of the triangle that p and q make with it: positive if
// q is to the left of p. By their difference, which may be short.
double AreaSeen(const Vec3d& along_A, const Vertex& p, const Vertex& q) {
  return Dot(along_A, Cross(p.w, q.w - p.w));
}

class PortalSearch {
 public:
  PortalSearch(MinkowskiDifference<double>& difference, const Vec3d& ray_A)
      : difference_(difference),
        ray_(ray_A),
        length_(Norm(ray_A)),
        along_((1 / length_) * ray_A),
        noise_(kPortalNoise * kRoundoff * difference.extent()) {}

  PortalResult Run() {
    if (length_ > 0 && FindPortal() && Refine() && IsInside())
      cast_.end = PortalResult::End::kFacet;
    return cast_;
  }

 private:
  double Area(const Vertex& p, const Vertex& q) const { return AreaSeen(along_, p, q); }

  // A vertex that is nearly the highest along n. False if n shows that the ray misses A - B.
  bool Look(const Vec3d& n_A, Vertex* w) {
    *w = difference_.RoughSupport(n_A);
    const double height = Dot(n_A, w->w);
    if (height >= 0 || Dot(n_A, ray_) <= height) return true;
    cast_.end = PortalResult::End::kMiss;
    cast_.n_A = n_A;
    return false;
  }

  // Three vertices around the line of the ray, turning left.
  bool FindPortal() {
    auto& [p, q, r] = cast_.vertex;
    if (!Look(difference_.placement().p_AB, &p)) return false;
    if (!Look(Dot(p.w, along_) * along_ - p.w, &q)) return false;
    if (Area(p, q) < 0) std::swap(p, q);
    for (int step = 0; step < kMaxPortalSteps; ++step) {
      // The line is to the left of the side from p to q: so there, across it.
      const Vec3d left = Cross(along_, q.w - p.w);
      if (!Look(left, &r)) return false;
      if (!(Dot(left, r.w) > 0)) return false;
      if (Area(q, r) < 0) {
        p = r;
      } else if (Area(r, p) < 0) {
        q = r;
      } else {
        return true;
      }
    }
    return false;
  }

  // True if the vertex is above the portal, whose normal is n, by more than rounding.
  bool IsBeyond(const Vec3d& n_A, const Vertex& w) const {
    const double gain = Dot(n_A, w.w - cast_.vertex[0].w);
    return gain > 0 && gain * gain > noise_ * noise_ * NormSquared(n_A);
  }

  // Pushes the portal against the ray until it lies in a face of A - B.
  bool Refine() {
    auto& [p, q, r] = cast_.vertex;
    for (int step = 0; step < kMaxPortalSteps; ++step) {
      const Vec3d n_A = Cross(r.w - p.w, q.w - p.w);
      Vertex w;
      if (!Look(n_A, &w)) return false;
      if (!IsBeyond(n_A, w)) {
        if (difference_.HasBoxesOnly()) return true;
        w = difference_.Support(n_A);
        if (!IsBeyond(n_A, w)) return true;
      }
      const double of_p = Area(w, p), of_q = Area(w, q), of_r = Area(w, r);
      if (of_p >= 0 && of_q <= 0) {
        r = w;
      } else if (of_q >= 0 && of_r <= 0) {
        p = w;
      } else {
        q = w;
      }
    }
    return false;
  }

  bool IsInside() { return WeighPortal(along_, difference_.extent(), &cast_); }

  MinkowskiDifference<double>& difference_;
  const Vec3d ray_;
  const double length_;
  const Vec3d along_;  // unit
  const double noise_;
  PortalResult cast_;
};

}  // namespace

bool WeighPortal(const Vec3d& along_A, double extent, PortalResult* cast) {
  const auto& [p, q, r] = cast->vertex;
  const std::array<double, 3> areas = {AreaSeen(along_A, q, r), AreaSeen(along_A, r, p),
                                       AreaSeen(along_A, p, q)};
  const double sum = areas[0] + areas[1] + areas[2];
  for (std::size_t i = 0; i < 3; ++i) cast->weight[i] = areas[i] / sum;
  const double longest_sq =
      std::max({NormSquared(q.w - p.w), NormSquared(r.w - q.w), NormSquared(p.w - r.w)});
  const double least = kPortalMargin * extent * std::sqrt(longest_sq);
  return std::min({areas[0], areas[1], areas[2]}) > least;
}

bool IsProvedMiss(MinkowskiDifference<double>& difference, const Vec3d& ray_A, const Vec3d& n_A,
                  double error) {
  const double height = Dot(n_A, difference.Support(n_A).w);
  const double gap = std::fmin(-height, Dot(n_A, ray_A) - height);
  const double size = Norm(n_A);
  // Below this the square of what is measured along it is lost, and with it the margin.
  return size > kThinUnderflow && gap > 2 * error * size;
}

PortalResult SearchPortal(MinkowskiDifference<double>& difference, const Vec3d& ray_A) {
  CLEARANCE_ASSERT(!difference.pair().is_curved());
  return PortalSearch(difference, ray_A).Run();
}

}  // namespace clearance
