// SPDX-License-Identifier: Apache-2.0

#include "core/broad/box_tree.h"

#include <algorithm>
#include <cmath>

namespace clearance {
namespace {

// A node may grow to so many times its size before the box that makes it grow has to go elsewhere.
constexpr float kMostGrowth = 2;

// 0 of a box without an end either way.
float CenterOf(const FloatBox& box, int axis) {
  const float center = box.low[axis] / 2 + box.high[axis] / 2;
  return std::isnan(center) ? 0.0F : center;
}

int LongestAxis(absl::Span<const SlottedBox> boxes) {
  FloatBox centers = kEmptyBox;
  for (const SlottedBox& item : boxes) {
    for (int i = 0; i < 3; ++i) {
      const float center = CenterOf(item.box, i);
      centers.low[i] = std::min(centers.low[i], center);
      centers.high[i] = std::max(centers.high[i], center);
    }
  }
  int longest = 0;
  for (int i = 1; i < 3; ++i) {
    const float extent = centers.high[i] - centers.low[i];
    if (extent > centers.high[longest] - centers.low[longest]) longest = i;
  }
  return longest;
}

// The `left` boxes with the least centres come first.
void Cut(absl::Span<SlottedBox> boxes, std::size_t left) {
  const int axis = LongestAxis(boxes);
  std::nth_element(boxes.begin(), boxes.begin() + static_cast<std::ptrdiff_t>(left), boxes.end(),
                   [axis](const SlottedBox& a, const SlottedBox& b) {
                     const float center_a = CenterOf(a.box, axis);
                     const float center_b = CenterOf(b.box, axis);
                     return center_a != center_b ? center_a < center_b : a.slot < b.slot;
                   });
}

// Calls take(part) for parts of at most `capacity`, all but one of that size.
template <class Take>
void CutUp(absl::Span<SlottedBox> boxes, std::size_t capacity, Take& take) {
  if (boxes.size() <= capacity) return take(boxes);
  const std::size_t parts = (boxes.size() + capacity - 1) / capacity;
  const std::size_t left = parts / 2 * capacity;
  Cut(boxes, left);
  CutUp(boxes.first(left), capacity, take);
  CutUp(boxes.subspan(left), capacity, take);
}

}  // namespace

float SizeOf(const FloatBox& box) {
  return (box.high[0] - box.low[0]) + (box.high[1] - box.low[1]) + (box.high[2] - box.low[2]);
}

void BoxTree::Build(absl::Span<SlottedBox> boxes) {
  size_ = boxes.size();
  std::size_t capacity = 1;  // of each lane of the root
  depth_ = 1;
  for (; capacity * kNodeLanes < boxes.size(); capacity *= kNodeLanes) ++depth_;
  BuildNode(boxes, capacity, BoxNode::kNoParent);
}

std::uint32_t BoxTree::BuildNode(absl::Span<SlottedBox> boxes, std::size_t capacity,
                                 std::uint32_t parent) {
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  nodes_.PushBack({});
  nodes_.Mutable(index).parent = parent;
  FillLanes(index, boxes, capacity);
  BoxNode& node = nodes_.Mutable(index);
  node.built_size = SizeOf(node.UnionOfAll());
  return index;
}

void BoxTree::FillLanes(std::uint32_t index, absl::Span<SlottedBox> boxes, std::size_t capacity) {
  std::uint32_t lane = 0;
  const auto take = [&](absl::Span<SlottedBox> part) {
    FloatBox box = part.front().box;
    std::uint32_t what = part.front().slot | BoxNode::kIsLeaf;
    if (capacity > 1) {
      what = BuildNode(part, capacity / kNodeLanes, index * kNodeLanes + lane);
      box = nodes_[what].UnionOfAll();
    }
    nodes_.Mutable(index).Use(lane++, box, what);
  };
  CutUp(boxes, capacity, take);
}

bool BoxTree::TryRefit(Place place, const FloatBox& box) {
  const std::uint32_t index = place / kNodeLanes;
  const std::uint32_t lane = place % kNodeLanes;
  BoxNode changed = nodes_[index];
  changed.SetBox(lane, box);
  // Written so that a size that is no number is too large.
  if (!(SizeOf(changed.UnionOfAll()) <= kMostGrowth * changed.built_size)) return false;
  nodes_.Mutable(index) = changed;
  Follow(index);
  return true;
}

void BoxTree::Remove(Place place) {
  nodes_.Mutable(place / kNodeLanes).Clear(place % kNodeLanes);
  --size_;
  Follow(place / kNodeLanes);
}

void BoxTree::Rename(Place place, std::uint32_t slot) {
  nodes_.Mutable(place / kNodeLanes).child[place % kNodeLanes] = slot | BoxNode::kIsLeaf;
}

void BoxTree::Follow(std::uint32_t index) {
  while (nodes_[index].parent != BoxNode::kNoParent) {
    const std::uint32_t parent = nodes_[index].parent / kNodeLanes;
    const std::uint32_t lane = nodes_[index].parent % kNodeLanes;
    const bool is_empty = nodes_[index].used == 0;
    const FloatBox box = nodes_[index].UnionOfAll();
    if (!is_empty && nodes_[parent].BoxAt(lane) == box) return;
    BoxNode& node = nodes_.Mutable(parent);
    if (is_empty) {
      node.Clear(lane);
    } else {
      node.SetBox(lane, box);
    }
    index = parent;
  }
}

}  // namespace clearance
