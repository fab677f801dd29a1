// SPDX-License-Identifier: Apache-2.0

#include "core/support/rough_support.h"

#include <cmath>
#include <vector>

#include "core/math/assert.h"
#include "core/math/tolerance.h"
#include "core/support/support.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/support/rough_support.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "core/support/block_scan-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

VertexIndex HighestInFloatsHere(const ConvexShape& shape, const Vec3d& d) {
  return HighestInFloats(shape, d);
}

// The two scans do not wait for each other.
RoughVertices HighestInBothHere(const RoughSupportQuery& a, const RoughSupportQuery& b) {
  return {HighestInFloats(a.shape, a.d), HighestInFloats(b.shape, b.d)};
}

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace clearance {
namespace {

HWY_EXPORT(HighestInFloatsHere);
HWY_EXPORT(HighestInBothHere);

bool FitsFloats(const Vec3d& d) {
  const double size = std::fabs(d.x) + std::fabs(d.y) + std::fabs(d.z);
  return size > kMinFloatDirection && size < kMaxFloatDirection;
}

bool IsScanned(const RoughSupportQuery& one) {
  const ConvexShape& shape = one.shape;
  return !shape.box_corners().is_box && shape.vertex_count() > 1 && !shape.scan_blocks().empty() &&
         FitsFloats(one.d);
}

VertexIndex RoughSupportVertex(const RoughSupportQuery& one) {
  return clearance::RoughSupportVertex(one.shape, one.d, one.start);
}

}  // namespace

VertexIndex RoughSupportVertex(const ConvexShape& shape, const Vec3d& d, VertexIndex start) {
  CLEARANCE_ASSERT(!shape.is_curved());
  if (shape.vertex_count() == 1) return 0;
  if (shape.box_corners().is_box) return shape.box_corners().Towards(d);
  if (shape.scan_blocks().empty() || !FitsFloats(d)) return SupportVertex(shape, d, start);
  return HWY_DYNAMIC_DISPATCH(HighestInFloatsHere)(shape, d);
}

RoughVertices RoughSupportVertices(const RoughSupportQuery& a, const RoughSupportQuery& b) {
  if (IsScanned(a) && IsScanned(b)) return HWY_DYNAMIC_DISPATCH(HighestInBothHere)(a, b);
  return {RoughSupportVertex(a), RoughSupportVertex(b)};
}

}  // namespace clearance

#endif  // HWY_ONCE
