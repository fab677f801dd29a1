// SPDX-License-Identifier: Apache-2.0

#include "core/narrow/facet_planes.h"

#include <cstddef>

#include "core/math/tolerance.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/narrow/facet_planes.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "core/math/lanes-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

// Mostly there are three to six, and a root and a quotient of wider vectors take twice as long.
constexpr std::size_t kTrianglesAtOnce = 4;

// The triangles from `first` on, one in a lane.
template <class L>
class LaneFacets {
 public:
  using V = typename L::V;
  using V3 = typename L::V3;

  static HWY_INLINE void Measure(const FacetPlanes::Given& given, std::size_t first,
                                 FacetPlanes::Found* found) {
    const V3 p = L::Gather(&given.p[first]), q = L::Gather(&given.q[first]),
             r = L::Gather(&given.r[first]);
    const V3 pq = L::Sub(q, p), qr = L::Sub(r, q), rp = L::Sub(p, r);
    const V pq_sq = L::Dot(pq, pq), qr_sq = L::Dot(qr, qr), rp_sq = L::Dot(rp, rp);
    // The corner that is opposite to the longest edge, the one before, and the edge to the next.
    const auto is_p = hn::And(hn::Ge(qr_sq, pq_sq), hn::Ge(qr_sq, rp_sq));
    const auto is_q = hn::Ge(rp_sq, pq_sq);
    const V3 a = L::Select(is_p, p, L::Select(is_q, q, r));
    const V3 before = L::Select(is_p, r, L::Select(is_q, p, q));
    const V3 from = L::Select(is_p, pq, L::Select(is_q, qr, rp));
    const V to_sq = L::Select(is_p, rp_sq, L::Select(is_q, pq_sq, qr_sq));
    const V from_sq = L::Select(is_p, pq_sq, L::Select(is_q, qr_sq, rp_sq));
    const V edges_sq = hn::Mul(from_sq, to_sq);
    const V3 n = L::Cross(from, L::Sub(before, a));
    const V area = hn::Sqrt(L::Dot(n, n));
    const V3 unit = L::Times(hn::Div(L::Set(1), area), n);
    for (std::size_t i = 0; i < 3; ++i) {
      hn::Store(i == 0 ? unit.x : i == 1 ? unit.y : unit.z, L::kTag, found->n[i].of + first);
    }
    hn::Store(L::Dot(unit, a), L::kTag, found->offset.of + first);
    hn::Store(ToldOf(area, edges_sq), L::kTag, found->told.of + first);
  }

 private:
  static V ToldOf(V area, V edges_sq) {
    const V least = L::Set(kThinUnderflow * kThinUnderflow);
    const V area_sq = hn::Mul(area, area);
    const auto is_long = hn::Ge(edges_sq, least);
    const auto is_wide = hn::Ge(hn::Mul(L::Set(4), area_sq), edges_sq);
    const auto is_coarse = hn::Gt(area_sq, hn::Mul(L::Set(kCoarseSine * kCoarseSine), edges_sq));
    const V of_thin = L::Select(hn::And(is_coarse, is_long), L::Set(FacetPlanes::kCoarsely),
                                L::Set(FacetPlanes::kHardly));
    return L::Select(hn::And(is_wide, is_long), L::Set(FacetPlanes::kWell), of_thin);
  }
};

void MeasureHere(const FacetPlanes::Given& given, std::size_t count, FacetPlanes::Found* found) {
  using L = Lanes<kTrianglesAtOnce>;
  static_assert(FacetPlanes::kMax % L::kSize == 0);
  for (std::size_t first = 0; first < count; first += L::kSize) {
    LaneFacets<L>::Measure(given, first, found);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace clearance {
namespace {

HWY_EXPORT(MeasureHere);

}  // namespace

void FacetPlanes::Measure(int count) {
  HWY_DYNAMIC_DISPATCH(MeasureHere)(given_, static_cast<std::size_t>(count), &found_);
}

}  // namespace clearance

#endif  // HWY_ONCE
