// SPDX-License-Identifier: Apache-2.0

#include "core/support/vertex_scan.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/math/assert.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/support/vertex_scan.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "core/math/lanes-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

// Returns the highest vertex. Each lane keeps the first of its highest vertices, and their indices
// as numbers. If the size is not a multiple of the lanes, the last vector begins earlier and sees
// some vertices again.
inline ScannedVertex HighestInVectors(const VertexColumns& vertices, const Vec3d& d) {
  using L = Lanes<8>;
  const auto x = L::Set(d.x), y = L::Set(d.y), z = L::Set(d.z);
  const auto iota = hn::Iota(L::kTag, 0);
  auto top = L::Set(-HUGE_VAL);
  auto top_index = L::Set(0);
  const auto see = [&](std::uint32_t first) HWY_ATTR {
    const auto xx = hn::Mul(x, hn::LoadU(L::kTag, vertices.x + first));
    const auto yy = hn::Mul(y, hn::LoadU(L::kTag, vertices.y + first));
    const auto zz = hn::Mul(z, hn::LoadU(L::kTag, vertices.z + first));
    const auto height = hn::Add(hn::Add(xx, yy), zz);
    const auto is_higher = hn::Gt(height, top);
    top = hn::IfThenElse(is_higher, height, top);
    top_index = hn::IfThenElse(is_higher, hn::Add(iota, L::Set(first)), top_index);
  };
  constexpr auto kLanes = static_cast<std::uint32_t>(L::kSize);
  for (std::uint32_t first = 0; first + kLanes <= vertices.size; first += kLanes) see(first);
  if (vertices.size % kLanes != 0) see(vertices.size - kLanes);
  const auto highest = hn::MaxOfLanes(L::kTag, top);
  const auto of_highest = hn::IfThenElse(hn::Eq(top, highest), top_index, L::Set(HUGE_VAL));
  const double first = hn::GetLane(hn::MinOfLanes(L::kTag, of_highest));
  return {static_cast<VertexIndex>(first), hn::GetLane(highest)};
}

ScannedVertex ScanHere(const VertexColumns& vertices, const Vec3d& d) {
  return HighestInVectors(vertices, d);
}

// Counts the vertices below `floor` with the same vectors, without those that the last vector sees
// again.
std::uint32_t CountBelowHere(const VertexColumns& vertices, const Vec3d& d, double floor) {
  using L = Lanes<8>;
  const auto x = L::Set(d.x), y = L::Set(d.y), z = L::Set(d.z);
  const auto is_below = [&](std::uint32_t first) HWY_ATTR {
    const auto xx = hn::Mul(x, hn::LoadU(L::kTag, vertices.x + first));
    const auto yy = hn::Mul(y, hn::LoadU(L::kTag, vertices.y + first));
    const auto zz = hn::Mul(z, hn::LoadU(L::kTag, vertices.z + first));
    return hn::Lt(hn::Add(hn::Add(xx, yy), zz), L::Set(floor));
  };
  constexpr auto kLanes = static_cast<std::uint32_t>(L::kSize);
  std::size_t below = 0;
  std::uint32_t first = 0;
  for (; first + kLanes <= vertices.size; first += kLanes) {
    below += hn::CountTrue(L::kTag, is_below(first));
  }
  if (first < vertices.size) {
    const auto is_again = hn::FirstN(L::kTag, first + kLanes - vertices.size);
    below += hn::CountTrue(L::kTag, hn::AndNot(is_again, is_below(vertices.size - kLanes)));
  }
  return static_cast<std::uint32_t>(below);
}

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace clearance {
namespace {

HWY_EXPORT(ScanHere);
HWY_EXPORT(CountBelowHere);

constexpr std::uint32_t kMaxLanes = 8;

ScannedVertex ScanOneByOne(const VertexColumns& vertices, const Vec3d& d) {
  ScannedVertex best = {0, -HUGE_VAL};
  for (std::uint32_t i = 0; i < vertices.size; ++i) {
    const double height = d.x * vertices.x[i] + d.y * vertices.y[i] + d.z * vertices.z[i];
    if (height > best.height) best = {i, height};
  }
  return best;
}

std::uint32_t CountOneByOne(const VertexColumns& vertices, const Vec3d& d, double floor) {
  std::uint32_t below = 0;
  for (std::uint32_t i = 0; i < vertices.size; ++i) {
    const double height = d.x * vertices.x[i] + d.y * vertices.y[i] + d.z * vertices.z[i];
    below += height < floor ? 1U : 0U;
  }
  return below;
}

}  // namespace

ScannedVertex HighestOfAll(const VertexColumns& vertices, const Vec3d& d) {
  CLEARANCE_ASSERT(vertices.size > 0);
  if (vertices.size < kMaxLanes) return ScanOneByOne(vertices, d);
  return HWY_DYNAMIC_DISPATCH(ScanHere)(vertices, d);
}

std::uint32_t CountBelow(const VertexColumns& vertices, const Vec3d& d, double floor) {
  if (vertices.size < kMaxLanes) return CountOneByOne(vertices, d, floor);
  return HWY_DYNAMIC_DISPATCH(CountBelowHere)(vertices, d, floor);
}

}  // namespace clearance

#endif  // HWY_ONCE
