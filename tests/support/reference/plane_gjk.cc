// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference/plane_gjk.h"

namespace clearance::reference {
namespace {

constexpr int kMaxTurns = 100;

bool IsZero(const Vec2& v) { return v == Vec2{}; }

// The next direction of search; 0 if the simplex holds the origin. The newest point is the last.
Vec2 LineRegion(const std::vector<PlanePoint>& simplex) {
  const Vec2 ab = simplex[0].w - simplex[1].w;
  return TripleProduct(ab, -simplex[1].w, ab);
}

Vec2 TriangleRegion(std::vector<PlanePoint>* simplex) {
  const Vec2 a = (*simplex)[2].w;
  const Vec2 ab = (*simplex)[1].w - a;
  const Vec2 ac = (*simplex)[0].w - a;
  const Vec2 off_ab = TripleProduct(ac, ab, ab);
  const Vec2 off_ac = TripleProduct(ab, ac, ac);
  if (Dot(off_ab, -a) > 0) {
    simplex->erase(simplex->begin());
    return off_ab;
  }
  if (Dot(off_ac, -a) > 0) {
    simplex->erase(simplex->begin() + 1);
    return off_ac;
  }
  return {};
}

Vec2 NextDirection(std::vector<PlanePoint>* simplex) {
  if (simplex->size() == 1) return -simplex->front().w;
  if (simplex->size() == 2) return LineRegion(*simplex);
  return TriangleRegion(simplex);
}

}  // namespace

PlanePoint Support(const Polygon& a, const Polygon& b, const Vec2& d) {
  const Vec2 p_a = a[HighestByScan(a, d)];
  const Vec2 p_b = b[HighestByScan(b, -d)];
  return {p_a - p_b, p_a, p_b};
}

Vec2 TripleProduct(const Vec2& a, const Vec2& b, const Vec2& c) {
  return Dot(a, c) * b - Dot(b, c) * a;
}

PlaneGjkResult SharePointInPlane(const Polygon& a, const Polygon& b) {
  PlaneGjkResult result;
  result.simplex = {Support(a, b, {1, 0})};
  for (int turn = 0; turn < kMaxTurns; ++turn) {
    const Vec2 d = NextDirection(&result.simplex);
    if (IsZero(d)) {
      result.share_a_point = true;
      return result;
    }
    const PlanePoint next = Support(a, b, d);
    if (Dot(d, next.w) < 0) return result;
    result.simplex.push_back(next);
  }
  result.hit_iteration_limit = true;
  return result;
}

}  // namespace clearance::reference
