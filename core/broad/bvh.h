// SPDX-License-Identifier: Apache-2.0
//
// A tree of boxes, eight to a node, built once and then refitted: boxes may be changed and taken
// out, and the nodes above them follow. Copies share nodes that did not change.
//
// It is built from the top. Many boxes are cut in two at the middle along the axis on which their
// centres span the most, again and again, so that each part fills whole subtrees. So all nodes but
// a few are full and all boxes lie equally deep. A few thousand, as in a level of a game, may be
// cut so that the parts have the least surface (I. Wald, "On fast construction of SAH-based
// bounding volume hierarchies", 2007). The part with the largest surface is cut further until a
// node is full: a floor then lies beside the root and not among the lamps above it. Rays through a
// level of 947 brushes look at a third fewer nodes; these are emptier, up to two levels deeper, and
// take three times as long to build.

#pragma once

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
#include "core/math/assert.h"

namespace clearance {

// A box and the caller's number for it, below BoxNode::kIsLeaf. Boxes are not empty.
struct SlottedBox {
  FloatBox box;
  std::uint32_t slot = 0;
};

// Returns the sum of the extents: a size that flat boxes have too. Requires: not empty.
float SizeOf(const FloatBox& box);

class Bvh {
 public:
  // All cuts are even if there are more than kMaxBySurface boxes.
  enum class Cuts : std::uint8_t { kEven, kBySurface };
  static constexpr std::size_t kMaxBySurface = 4096;

  Bvh() = default;

  // The place of a box: node * kNodeLanes + lane.
  using Place = std::uint32_t;

  // Reorders the boxes; calls placed(slot, place) for each. Requires: at least one.
  template <class Placed>
  Bvh(absl::Span<SlottedBox> boxes, Cuts cuts, Placed&& placed)
      : is_by_surface_(cuts == Cuts::kBySurface && boxes.size() <= kMaxBySurface),
        built_count_(boxes.size()) {
    CLEARANCE_ASSERT(!boxes.empty());
    Build(boxes);
    VisitLeaves([&](const SlottedBox& leaf, Place place) { placed(leaf.slot, place); });
  }

  std::size_t size() const { return size_; }
  std::size_t built_count() const { return built_count_; }
  int depth() const { return depth_; }
  std::size_t byte_size() const { return nodes_.byte_size(); }
  // The same as in PagedVector.
  std::size_t BytesBeside(const Bvh& other) const { return nodes_.BytesBeside(other.nodes_); }

  // Returns false, and changes nothing, if the box's node would become more than kMaxGrowth times
  // as large as it was built.
  bool TryRefit(Place place, const FloatBox& box);
  void Remove(Place place);
  void Rename(Place place, std::uint32_t slot);
  // The same as in PagedVector, before a box is set.
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
  // which may be lowered meanwhile; the nearest first, as far as nodes show. Returns the number of
  // visited nodes.
  template <class Probe, class Take>
  std::uint64_t Visit(const Probe& probe, const float* limit, Take&& take) const;

  // Calls take(what, bound) for everything in a node whose bound is at most the limit; `what` as
  // BoxNode::child has it.
  template <class Probe, class Take>
  void VisitNode(std::uint32_t index, const NodeProbe<Probe>& probe, float limit,
                 Take&& take) const {
    const BoxNode& node = nodes_[index];
    BoxNode::Row bounds;
    std::uint32_t lanes = probe.bounds_of(probe.probe, node, limit, &bounds) & node.used;
    for (; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
      take(node.child[lane], bounds[lane]);
    }
  }

 private:
  // Deeper than 2^31 boxes can be.
  static constexpr std::size_t kMaxDepth = 12;

  struct Waiting {
    float bound;
    std::uint32_t what;
  };
  static constexpr std::size_t kMaxWaiting = kMaxDepth * kNodeLanes;

  // The boxes of one node and all nodes below it. A lane has room for `capacity` boxes.
  struct Subtree {
    absl::Span<SlottedBox> boxes;
    std::size_t capacity = 1;
    int level = 1;  // the root's is 1
  };

  void Build(absl::Span<SlottedBox> boxes);
  std::uint32_t BuildNode(const Subtree& subtree, std::uint32_t parent);
  void FillLanes(std::uint32_t index, const Subtree& subtree);
  // Fills a lane with one box, or with a node of several.
  void FillLane(std::uint32_t place, const Subtree& part);
  // Updates the node's box in all nodes above it.
  void Follow(std::uint32_t index);

  PagedVector<BoxNode, 1> nodes_;  // the first is the root
  bool is_by_surface_ = false;
  std::size_t size_ = 0;
  std::size_t built_count_ = 0;
  int depth_ = 0;
};

template <class Probe, class Take>
std::uint64_t Bvh::Visit(const Probe& probe, const float* limit, Take&& take) const {
  if (size_ == 0) return 0;
  const NodeProbe<Probe> node_probe(probe);
  std::array<Waiting, kMaxWaiting> waiting;
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
    // Sorted by insertion, the nearest on top.
    const std::size_t first = count;
    VisitNode(next.what, node_probe, *limit, [&](std::uint32_t what, float bound) {
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
