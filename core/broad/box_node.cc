// SPDX-License-Identifier: Apache-2.0

#include "core/broad/box_node.h"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/broad/box_node.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace clearance {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::CappedTag<float, kNodeLanes>;

// Stores the bounds of the lanes from `first` on, and returns which are at most the limit.
inline std::uint32_t Finish(hn::Vec<FloatTag> bounds, std::size_t first, float limit,
                            BoxNode::Row* row) {
  constexpr FloatTag kTag;
  hn::StoreU(bounds, kTag, row->data() + first);
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(kTag, hn::Le(bounds, hn::Set(kTag, limit)), bits);
  return static_cast<std::uint32_t>(bits[0]) << first;
}

std::uint32_t GapsHere(const FloatBox& probe, const BoxNode& node, float limit,
                       BoxNode::Row* bounds) {
  constexpr FloatTag kTag;
  std::uint32_t near = 0;
  for (std::size_t first = 0; first < kNodeLanes; first += hn::MaxLanes(kTag)) {
    auto sum = hn::Zero(kTag);
    for (int i = 0; i < 3; ++i) {
      const auto low = hn::LoadU(kTag, node.low[i].data() + first);
      const auto high = hn::LoadU(kTag, node.high[i].data() + first);
      const auto gap = hn::Max(hn::Sub(hn::Set(kTag, probe.low[i]), high),
                               hn::Sub(low, hn::Set(kTag, probe.high[i])));
      const auto kept = hn::IfThenElseZero(hn::Ge(gap, hn::Set(kTag, kMinBoxGap)),
                                           hn::Min(gap, hn::Set(kTag, kLargestBoxGap)));
      sum = hn::Add(sum, hn::Mul(kept, kept));
    }
    const auto bound = hn::Mul(hn::Sqrt(sum), hn::Set(kTag, kBoxGapGuard));
    near |= Finish(bound, first, limit, bounds);
  }
  return near;
}

// The vectors of EntryTime, before its guards: these never turn an order round, so that one of the
// latest is the latest of all.
struct Times {
  hn::Vec<FloatTag> enter;
  hn::Vec<FloatTag> leave;
};

inline hn::Vec<FloatTag> GuardedDownHere(hn::Vec<FloatTag> t) {
  constexpr FloatTag kTag;
  const auto less = hn::Mul(t, hn::Set(kTag, 1.0F - kBoxTimeGuard));
  const auto more = hn::Mul(t, hn::Set(kTag, 1.0F + kBoxTimeGuard));
  return hn::Sub(hn::Min(less, more), hn::Set(kTag, kBoxTimeSlack));
}

inline void MeetAlongAxis(hn::Vec<FloatTag> below, hn::Vec<FloatTag> above, float inverse,
                          Times* times) {
  constexpr FloatTag kTag;
  if (inverse == 0.0F) {
    const auto zero = hn::Zero(kTag);
    const auto is_apart = hn::Or(hn::Gt(below, zero), hn::Lt(above, zero));
    times->enter = hn::IfThenElse(is_apart, hn::Inf(kTag), times->enter);
    return;
  }
  const auto one = hn::Mul(below, hn::Set(kTag, inverse));
  const auto other = hn::Mul(above, hn::Set(kTag, inverse));
  times->enter = hn::Max(times->enter, hn::Min(one, other));
  times->leave = hn::Min(times->leave, hn::Max(one, other));
}

std::uint32_t EntriesHere(const MovingFloatBox& probe, const BoxNode& node, float limit,
                          BoxNode::Row* bounds) {
  constexpr FloatTag kTag;
  std::uint32_t near = 0;
  for (std::size_t first = 0; first < kNodeLanes; first += hn::MaxLanes(kTag)) {
    Times times = {hn::Neg(hn::Inf(kTag)), hn::Inf(kTag)};
    for (int i = 0; i < 3; ++i) {
      const auto low = hn::LoadU(kTag, node.low[i].data() + first);
      const auto high = hn::LoadU(kTag, node.high[i].data() + first);
      MeetAlongAxis(hn::Sub(low, hn::Set(kTag, probe.box.high[i])),
                    hn::Sub(high, hn::Set(kTag, probe.box.low[i])), probe.inverse[i], &times);
    }
    const auto enter = hn::Max(hn::Zero(kTag), GuardedDownHere(times.enter));
    const auto leave = hn::Min(hn::Set(kTag, 1.0F), hn::Neg(GuardedDownHere(hn::Neg(times.leave))));
    const auto bound = hn::IfThenElse(hn::Gt(enter, leave), hn::Set(kTag, kNeverMet), enter);
    near |= Finish(bound, first, limit, bounds);
  }
  return near;
}

}  // namespace HWY_NAMESPACE
}  // namespace clearance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace clearance {
namespace {

HWY_EXPORT(GapsHere);
HWY_EXPORT(EntriesHere);

}  // namespace

BoxNode::BoxNode() {
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) SetBox(lane, kEmptyBox);
}

FloatBox BoxNode::UnionOfAll() const {
  FloatBox box = kEmptyBox;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) box = Union(box, BoxAt(lane));
  return box;
}

NodeBounds<FloatBox> ChooseBounds(const FloatBox& /*probe*/) {
  return &HWY_DYNAMIC_DISPATCH(GapsHere);
}

NodeBounds<MovingFloatBox> ChooseBounds(const MovingFloatBox& /*probe*/) {
  return &HWY_DYNAMIC_DISPATCH(EntriesHere);
}

}  // namespace clearance

#endif  // HWY_ONCE
