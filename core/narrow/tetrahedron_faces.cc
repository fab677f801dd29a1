// SPDX-License-Identifier: Apache-2.0

#include "core/narrow/tetrahedron_faces.h"

#include <cmath>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/narrow/tetrahedron_faces.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "core/math/lanes-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

// The corners of every face and the one opposite.
struct FaceCorners {
  const Vec3d* p[TetrahedronFaces::kCount];
  const Vec3d* q[TetrahedronFaces::kCount];
  const Vec3d* r[TetrahedronFaces::kCount];
  const Vec3d* opposite[TetrahedronFaces::kCount];
};

// The faces from `first` on, one in a lane.
template <class L>
void MeasureFrom(std::size_t first, const FaceCorners& corners, const FaceLimits& limits,
                 TetrahedronFaces* faces) {
  using V = typename L::V;
  using V3 = typename L::V3;
  const V3 p = L::Gather(corners.p + first);
  const V3 n =
      L::Cross(L::Sub(L::Gather(corners.q + first), p), L::Sub(L::Gather(corners.r + first), p));
  const V area = hn::Sqrt(L::Dot(n, n));
  const V above = L::Dot(L::Sub(L::Gather(corners.opposite + first), p), n);
  const V cube_error = L::Set(limits.cube_error);
  const auto is_no_front = hn::Gt(above, cube_error);
  const auto is_no_back = hn::Gt(hn::Neg(above), cube_error);
  const V reach = L::Dot(p, n);
  const auto is_back = hn::Or(is_no_front, hn::AndNot(is_no_back, hn::Gt(reach, L::Set(0))));
  const V outward = L::Select(is_back, hn::Neg(reach), reach);
  const V height = hn::Div(hn::Sub(outward, cube_error), area);
  const auto is_face = hn::Gt(area, L::Set(limits.least_area));
  hn::Store(L::Select(is_face, height, L::Set(HUGE_VAL)), L::kTag, faces->height.of + first);
  hn::Store(L::Select(is_back, hn::Neg(n.x), n.x), L::kTag, faces->n[0].of + first);
  hn::Store(L::Select(is_back, hn::Neg(n.y), n.y), L::kTag, faces->n[1].of + first);
  hn::Store(L::Select(is_back, hn::Neg(n.z), n.z), L::kTag, faces->n[2].of + first);
}

void MeasureFacesHere(const TetrahedronCorners& corners, const FaceLimits& limits,
                      TetrahedronFaces* faces) {
  using L = Lanes<TetrahedronFaces::kCount>;
  const auto& [a, b, c, d] = corners;
  const FaceCorners each = {{a, a, a, b}, {b, b, c, c}, {c, d, d, d}, {d, c, b, a}};
  for (std::size_t first = 0; first < TetrahedronFaces::kCount; first += L::kSize) {
    MeasureFrom<L>(first, each, limits, faces);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace clearance {
namespace {

HWY_EXPORT(MeasureFacesHere);

}  // namespace

TetrahedronFaces MeasureFaces(const TetrahedronCorners& corners, const FaceLimits& limits) {
  TetrahedronFaces faces;
  HWY_DYNAMIC_DISPATCH(MeasureFacesHere)(corners, limits, &faces);
  return faces;
}

}  // namespace clearance

#endif  // HWY_ONCE
