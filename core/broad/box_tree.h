// SPDX-License-Identifier: Apache-2.0
//
// A tree of boxes, eight to a node, built once and then refitted: boxes may be changed and taken
// out, and what is above them follows. Copies share nodes that did not change.
//
// Built from the top: the boxes are cut in two at the middle of the longest way that their centres
// span, again and again, where each part fills whole subtrees; so all nodes but a few are full and
// all boxes lie equally deep. (Cuts across the axis with the least sum of surface areas, at the
// same places, made walks through a level of 947 brushes look at 5 to 10 % more nodes.)

#ifndef CLEARANCE_CORE_BROAD_BOX_TREE_H_
#define CLEARANCE_CORE_BROAD_BOX_TREE_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "core/broad/box_node.h"
#include "core/broad/float_box.h"
#include "core/broad/paged_vector.h"

namespace clearance {

// A box and the caller's number for it, below BoxNode::kIsLeaf. Boxes are not empty.
struct SlottedBox {
  FloatBox box;
  std::uint32_t slot = 0;
};

// The sum of its extents: a size that flat boxes have too. Requires: not empty.
float SizeOf(const FloatBox& box);

class BoxTree {
 public:
  BoxTree() = default;

  // Where a box is: node * kNodeLanes + lane.
  using Place = std::uint32_t;

  // Reorders the boxes; calls placed(slot, place) for each. Requires: at least one.
  template <class Placed>
  BoxTree(absl::Span<SlottedBox> boxes, Placed&& placed) : built_count_(boxes.size()) {
    Build(boxes);
    VisitLeaves([&](const SlottedBox& leaf, Place place) { placed(leaf.slot, place); });
  }

  std::size_t size() const { return size_; }
  std::size_t built_count() const { return built_count_; }
  int depth() const { return depth_; }
  std::size_t byte_size() const { return nodes_.byte_size(); }

  // False, and nothing is changed, if the box's node would become more than kMostGrowth times as
  // large as it was built.
  bool TryRefit(Place place, const FloatBox& box);
  void Remove(Place place);
  void Rename(Place place, std::uint32_t slot);
  // As PagedVector has it, before a box is set.
  void Prefetch(Place place) const { nodes_.Prefetch(place / kNodeLanes); }

  template <class Visit>
  void VisitLeaves(Visit&& visit) const {
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      const BoxNode& node = nodes_[i];
      for (std::uint32_t lane = 0; lane < kNodeLanes; ++lane) {
        if ((node.used >> lane & 1U) == 0 || (node.child[lane] & BoxNode::kIsLeaf) == 0) continue;
        visit(SlottedBox{node.BoxAt(lane), node.child[lane] & ~BoxNode::kIsLeaf},
              i * kNodeLanes + lane);
      }
    }
  }

  // Calls take(slot, bound) for every box whose bound (GapBound or EntryTime) is at most *limit,
  // which may be lowered on the way; the nearest first, as far as nodes tell. Returns how many
  // nodes it looked at.
  template <class Probe, class Take>
  std::uint64_t Visit(const Probe& probe, const float* limit, Take&& take) const;

  // Calls take(what, bound) for everything in a node whose bound is at most the limit; `what` as
  // BoxNode::child has it.
  template <class Probe, class Take>
  void VisitNode(std::uint32_t index, const Probe& probe, float limit, Take&& take) const {
    const BoxNode& node = nodes_[index];
    BoxNode::Row bounds;
    std::uint32_t lanes = BoundsOf(probe, node, limit, &bounds) & node.used;
    for (; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
      take(node.child[lane], bounds[lane]);
    }
  }

 private:
  // Deeper than 2^31 boxes can be.
  static constexpr std::size_t kMostDepth = 12;

  struct Waiting {
    float bound;
    std::uint32_t what;
  };
  static constexpr std::size_t kMostWaiting = kMostDepth * kNodeLanes;

  void Build(absl::Span<SlottedBox> boxes);
  std::uint32_t BuildNode(absl::Span<SlottedBox> boxes, std::size_t capacity, std::uint32_t parent);
  void FillLanes(std::uint32_t index, absl::Span<SlottedBox> boxes, std::size_t capacity);
  // What is above a node takes its new box.
  void Follow(std::uint32_t index);

  PagedVector<BoxNode, 1> nodes_;  // the first is the root
  std::size_t size_ = 0;
  std::size_t built_count_ = 0;
  int depth_ = 0;
};

template <class Probe, class Take>
std::uint64_t BoxTree::Visit(const Probe& probe, const float* limit, Take&& take) const {
  if (size_ == 0) return 0;
  std::array<Waiting, kMostWaiting> waiting;
  std::size_t count = 0;
  waiting[count++] = {0, 0};
  std::uint64_t seen = 0;
  while (count > 0) {
    const Waiting next = waiting[--count];
    if (next.bound > *limit) continue;
    if ((next.what & BoxNode::kIsLeaf) != 0) {
      take(next.what & ~BoxNode::kIsLeaf, next.bound);
      continue;
    }
    ++seen;
    // Sorted in where they wait, the nearest on top.
    const std::size_t first = count;
    VisitNode(next.what, probe, *limit, [&](std::uint32_t what, float bound) {
      std::size_t place = count++;
      for (; place > first && waiting[place - 1].bound < bound; --place) {
        waiting[place] = waiting[place - 1];
      }
      waiting[place] = {bound, what};
    });
  }
  return seen;
}

}  // namespace clearance

#endif  // CLEARANCE_CORE_BROAD_BOX_TREE_H_
