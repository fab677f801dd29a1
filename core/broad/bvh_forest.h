// SPDX-License-Identifier: Apache-2.0
//
// Boxes by slot, found by their place: one large tree that stays as it was built, and a few smaller
// trees of boxes that were added since or moved too far to stay. Each of these is several times
// smaller than the one before. A new box goes into a new tree, which takes in all trees that are
// not much larger than itself (O'Neil et al., "The log-structured merge-tree", 1996; Bentley and
// Saxe, 1980). So a change costs its own size times the logarithm on average, and every rule is one
// on counts and sizes, never on time.

#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/broad/bvh.h"
#include "core/broad/float_box.h"
#include "core/broad/paged_vector.h"
#include "core/math/assert.h"

namespace clearance {

// A node of a forest, or a box, that is still to be looked at.
struct WaitingBox {
  // The bits of the bound, above `what` as in BoxNode::child. The bits of floats >= 0 are ordered
  // as the floats are. So the least bound has the least rank, and among equal bounds nodes have a
  // lower rank than boxes. One comparison is enough: sorting mispredicts it often enough.
  std::uint64_t rank;
  std::uint32_t tree;

  // Requires: bound >= 0.
  static WaitingBox Of(float bound, std::uint32_t tree, std::uint32_t what) {
    CLEARANCE_ASSERT(bound >= 0);
    return {std::uint64_t{std::bit_cast<std::uint32_t>(bound)} << 32 | what, tree};
  }

  float bound() const { return std::bit_cast<float>(static_cast<std::uint32_t>(rank >> 32)); }
  std::uint32_t what() const { return static_cast<std::uint32_t>(rank); }
  bool is_box() const { return (what() & BoxNode::kIsLeaf) != 0; }
  // Requires: is_box().
  std::uint32_t slot() const {
    CLEARANCE_ASSERT(is_box());
    return what() & ~BoxNode::kIsLeaf;
  }
};

// The waiting nodes and boxes, sorted by insertion: most are nearer than all that wait already.
// Among equal bounds nodes come before boxes, so all boxes of that bound wait before the first of
// them is taken.
class WaitingBoxes {
 public:
  static constexpr std::size_t kMax = 64;

  bool empty() const { return count_ == 0; }
  bool is_nearly_full() const { return count_ + BoxNode::kLanes > kMax; }

  // Requires: not full.
  void Add(const WaitingBox& item) {
    CLEARANCE_ASSERT(count_ < kMax);
    std::size_t place = count_++;
    for (; place > 0 && items_[place - 1].rank < item.rank; --place)
      items_[place] = items_[place - 1];
    items_[place] = item;
  }

  // These require: not empty; the next one is a node for TakeNode, a box for TakeBoxes.
  const WaitingBox& next() const { return items_[count_ - 1]; }
  WaitingBox TakeNode() { return items_[--count_]; }
  // Returns all boxes of the next bound; valid until the next Add.
  absl::Span<const WaitingBox> TakeBoxes() {
    const float bound = next().bound();
    const std::size_t end = count_;
    while (count_ > 0 && items_[count_ - 1].bound() == bound) --count_;
    return {&items_[count_], end - count_};
  }

 private:
  std::array<WaitingBox, kMax> items_;  // the next one last
  std::size_t count_ = 0;
};

// A value whose copies share their common parts. Between changes and Settle no query is allowed; a
// settled forest may be read by any number of threads.
class BvhForest {
 public:
  // Slots are 0, 1, ... without a gap.
  std::size_t size() const { return homes_.size(); }
  void PushBack(const FloatBox& box);
  void Set(std::uint32_t slot, const FloatBox& box);
  // The same as in PagedVector.
  void Prefetch(std::uint32_t slot) const;
  // The last slot's box takes its place.
  void Remove(std::uint32_t slot);
  void Settle();

  std::size_t tree_count() const;
  int depth() const;
  std::size_t byte_size() const;
  // The same as in PagedVector. Each tree is compared with the tree at the same index of `other`.
  std::size_t BytesBeside(const BvhForest& other) const;

  // The same as in Bvh, over all trees.
  template <class Probe, class Take>
  std::uint64_t Visit(const Probe& probe, const float* limit, Take&& take) const {
    std::uint64_t seen = 0;
    for (const Bvh& tree : trees_) seen += tree.Visit(probe, limit, take);
    return seen;
  }

  // The same in the order of bounds, the least first: calls take(nearest) with the boxes of one
  // bound at a time. Visits no node whose bound is greater than that of a box for which the limit
  // is lowered. Returns false if there is no room for all that wait: then all boxes up to the bound
  // of the last call were shown, and no others. Adds the number of visited nodes to *seen.
  template <class Probe, class Take>
  bool VisitInOrder(const Probe& probe, const float* limit, std::uint64_t* seen, Take&& take) const;

 private:
  // Not in a tree yet: `place` is in new_boxes_.
  static constexpr std::uint32_t kNew = ~std::uint32_t{0};

  struct Home {
    std::uint32_t tree = kNew;
    std::uint32_t place = 0;
  };

  void TakeOut(const Home& home);
  void TakeIn(std::size_t tree);
  bool IsTakenIn(const Bvh& tree) const;

  PagedVector<Home, 32> homes_;
  std::vector<Bvh> trees_;  // some empty
  std::vector<SlottedBox> new_boxes_;
};

template <class Probe, class Take>
bool BvhForest::VisitInOrder(const Probe& probe, const float* limit, std::uint64_t* seen,
                             Take&& take) const {
  WaitingBoxes waiting;
  if (trees_.size() > WaitingBoxes::kMax) return false;
  for (std::uint32_t i = 0; i < trees_.size(); ++i) {
    if (trees_[i].size() != 0) waiting.Add(WaitingBox::Of(0, i, 0));
  }
  const NodeProbe<Probe> node_probe(probe);
  while (!waiting.empty() && waiting.next().bound() <= *limit) {
    if (waiting.next().is_box()) {
      take(waiting.TakeBoxes());
      continue;
    }
    if (waiting.is_nearly_full()) return false;
    const WaitingBox node = waiting.TakeNode();
    ++*seen;
    trees_[node.tree].VisitNode(node.what(), node_probe, *limit,
                                [&](std::uint32_t what, float bound) {
                                  waiting.Add(WaitingBox::Of(bound, node.tree, what));
                                });
  }
  return true;
}

}  // namespace clearance
