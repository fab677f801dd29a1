// SPDX-License-Identifier: Apache-2.0
//
// The support mapping of a few hundred vertices, good to single precision: sixteen heights at a
// time. The same vertex with vectors of any width. How to include it: core/math/lanes-inl.h.

#if defined(CLEARANCE_CORE_SUPPORT_BLOCK_SCAN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CLEARANCE_CORE_SUPPORT_BLOCK_SCAN_INL_H_
#undef CLEARANCE_CORE_SUPPORT_BLOCK_SCAN_INL_H_
#else
#define CLEARANCE_CORE_SUPPORT_BLOCK_SCAN_INL_H_
#endif

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"
#include "core/math/tolerance.h"
#include "core/math/vec3.h"
#include "core/shape/climb_graph.h"
#include "core/shape/convex_shape.h"
#include "core/shape/scan_blocks.h"
#include "core/support/cell_support.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// As HighestInBlocks, of one block that fills a vector: there a vertex's lane is its index.
HWY_INLINE VertexIndex HighestInBlock(const ScanBlock& block, const Vec3d& d) {
  const hn::CappedTag<float, ScanBlock::kSize> tag;
  const auto xx = hn::Mul(hn::Set(tag, static_cast<float>(d.x)), hn::Load(tag, block.x));
  const auto yy = hn::Mul(hn::Set(tag, static_cast<float>(d.y)), hn::Load(tag, block.y));
  const auto zz = hn::Mul(hn::Set(tag, static_cast<float>(d.z)), hn::Load(tag, block.z));
  const auto height = hn::Add(hn::Add(xx, yy), zz);
  const auto is_highest = hn::Eq(height, hn::MaxOfLanes(tag, height));
  return static_cast<VertexIndex>(hn::FindKnownFirstTrue(tag, is_highest));
}

// The first of the highest vertices along d, by heights rounded to single precision. Requires: at
// least one block; d no longer than kMaxFloatDirection.
HWY_INLINE VertexIndex HighestInBlocks(const std::vector<ScanBlock>& blocks, const Vec3d& d) {
  const hn::CappedTag<float, ScanBlock::kSize> tag;
  const hn::RebindToSigned<decltype(tag)> index_tag;
  constexpr std::size_t kLanes = hn::MaxLanes(tag);
  if (kLanes == ScanBlock::kSize && blocks.size() == 1) return HighestInBlock(blocks[0], d);
  const auto x = hn::Set(tag, static_cast<float>(d.x));
  const auto y = hn::Set(tag, static_cast<float>(d.y));
  const auto z = hn::Set(tag, static_cast<float>(d.z));
  auto top = hn::Set(tag, -HUGE_VALF);
  auto top_index = hn::Zero(index_tag);
  auto index = hn::Iota(index_tag, 0);
  for (const ScanBlock& block : blocks) {
    for (std::size_t i = 0; i < ScanBlock::kSize; i += kLanes) {
      const auto xx = hn::Mul(x, hn::Load(tag, block.x + i));
      const auto yy = hn::Mul(y, hn::Load(tag, block.y + i));
      const auto zz = hn::Mul(z, hn::Load(tag, block.z + i));
      const auto height = hn::Add(hn::Add(xx, yy), zz);
      const auto is_higher = hn::Gt(height, top);
      top = hn::IfThenElse(is_higher, height, top);
      top_index = hn::IfThenElse(hn::RebindMask(index_tag, is_higher), index, top_index);
      index = hn::Add(index, hn::Set(index_tag, static_cast<std::int32_t>(kLanes)));
    }
  }
  const auto is_highest = hn::Eq(top, hn::MaxOfLanes(tag, top));
  if (hn::CountTrue(tag, is_highest) == 1) {
    HWY_ALIGN std::int32_t at[kLanes];
    hn::Store(top_index, index_tag, at);
    return static_cast<VertexIndex>(at[hn::FindKnownFirstTrue(tag, is_highest)]);
  }
  const auto is_top = hn::RebindMask(index_tag, is_highest);
  const auto none = hn::Set(index_tag, std::numeric_limits<std::int32_t>::max());
  const auto first = hn::MinOfLanes(index_tag, hn::IfThenElse(is_top, top_index, none));
  return static_cast<VertexIndex>(hn::GetLane(first));
}

// The same of one or more of the vertices, ascending.
HWY_INLINE VertexIndex HighestOfFew(absl::Span<const VertexIndex> few,
                                    const std::vector<ScanBlock>& blocks, const Vec3d& d) {
  const auto x = static_cast<float>(d.x), y = static_cast<float>(d.y), z = static_cast<float>(d.z);
  VertexIndex best = few[0];
  float top = -HUGE_VALF;
  for (const VertexIndex i : few) {
    const ScanBlock& block = blocks[i / ScanBlock::kSize];
    const std::size_t at = i % ScanBlock::kSize;
    const float height = x * block.x[at] + y * block.y[at] + z * block.z[at];
    const bool is_higher = height > top;
    best = is_higher ? i : best;
    top = is_higher ? height : top;
  }
  return best;
}

// As HighestInBlocks of its blocks, by its cells where these tell a few. Requires: it has blocks; d
// longer than kMinFloatDirection.
inline HWY_NOINLINE VertexIndex HighestInCell(const ConvexShape& shape, const Vec3d& d) {
  const absl::Span<const VertexIndex> candidates = CellCandidates(shape, d);
  const bool are_few = !candidates.empty() && candidates.size() <= kMaxCellFloats;
  return are_few ? HighestOfFew(candidates, shape.scan_blocks(), d)
                 : HighestInBlocks(shape.scan_blocks(), d);
}

// The same; small shapes, which have no cells, take no call.
HWY_INLINE VertexIndex HighestInFloats(const ConvexShape& shape, const Vec3d& d) {
  return shape.support_cells().offsets.empty() ? HighestInBlocks(shape.scan_blocks(), d)
                                               : HighestInCell(shape, d);
}

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#endif  // CLEARANCE_CORE_SUPPORT_BLOCK_SCAN_INL_H_
