// SPDX-License-Identifier: Apache-2.0
//
// Boxes by slot, found by where they are: one large tree that stays as it was built, and a few
// smaller ones of what was added since or moved too far to stay, each several times smaller than
// the one before. A new box goes into a new tree, which takes in all those that are not much larger
// than itself (O'Neil et al., "The log-structured merge-tree", 1996; Bentley and Saxe, 1980): so a
// change costs its own size times the logarithm on average, and every rule is one on counts and
// sizes, never on time.

#ifndef CLEARANCE_CORE_BROAD_BOX_FOREST_H_
#define CLEARANCE_CORE_BROAD_BOX_FOREST_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/broad/box_tree.h"
#include "core/broad/float_box.h"
#include "core/broad/paged_vector.h"

namespace clearance {

// A node of a forest, or a box, that is still to be looked at.
struct WaitingBox {
  // The bound's bits, which of numbers that are not negative are ordered as these, above `what` as
  // BoxNode::child has it: so the least bound has the least rank, and of one bound nodes have less
  // than boxes. One comparison, which sorting guesses wrong often enough.
  std::uint64_t rank;
  std::uint32_t tree;

  // Requires: bound >= 0.
  static WaitingBox Of(float bound, std::uint32_t tree, std::uint32_t what) {
    return {std::uint64_t{std::bit_cast<std::uint32_t>(bound)} << 32 | what, tree};
  }

  float bound() const { return std::bit_cast<float>(static_cast<std::uint32_t>(rank >> 32)); }
  std::uint32_t what() const { return static_cast<std::uint32_t>(rank); }
  bool is_box() const { return (what() & BoxNode::kIsLeaf) != 0; }
  // Requires: is_box().
  std::uint32_t slot() const { return what() & ~BoxNode::kIsLeaf; }
};

// What waits, sorted as it comes in: most of it is nearer than all that waits already. Of one bound
// nodes come before boxes, so that all boxes of that bound wait before the first of them is taken.
class WaitingBoxes {
 public:
  static constexpr std::size_t kMost = 64;

  bool empty() const { return count_ == 0; }
  bool is_nearly_full() const { return count_ + BoxNode::kLanes > kMost; }

  // Requires: not full.
  void Add(const WaitingBox& item) {
    std::size_t place = count_++;
    for (; place > 0 && items_[place - 1].rank < item.rank; --place)
      items_[place] = items_[place - 1];
    items_[place] = item;
  }

  // Requires of these: not empty; that the next one is a node, or a box.
  const WaitingBox& next() const { return items_[count_ - 1]; }
  WaitingBox TakeNode() { return items_[--count_]; }
  // All of the same bound; good until the next is added.
  absl::Span<const WaitingBox> TakeBoxes() {
    const float bound = next().bound();
    const std::size_t end = count_;
    while (count_ > 0 && items_[count_ - 1].bound() == bound) --count_;
    return {&items_[count_], end - count_};
  }

 private:
  std::array<WaitingBox, kMost> items_;  // the next one last
  std::size_t count_ = 0;
};

// A value whose copies share what they have in common. Between changes and Settle nothing may be
// asked; one that is settled may be read by any number of threads.
class BoxForest {
 public:
  // Slots are 0, 1, ... without a gap.
  std::size_t size() const { return homes_.size(); }
  void PushBack(const FloatBox& box);
  void Set(std::uint32_t slot, const FloatBox& box);
  // As PagedVector has it.
  void Prefetch(std::uint32_t slot) const;
  // The last slot's box takes its place.
  void Remove(std::uint32_t slot);
  void Settle();

  std::size_t tree_count() const;
  int depth() const;
  std::size_t byte_size() const;
  // As PagedVector has it. A tree is held against the one that has its place in the other.
  std::size_t BytesBeside(const BoxForest& other) const;

  // As BoxTree has it.
  template <class Probe, class Take>
  std::uint64_t Visit(const Probe& probe, const float* limit, Take&& take) const {
    std::uint64_t seen = 0;
    for (const BoxTree& tree : trees_) seen += tree.Visit(probe, limit, take);
    return seen;
  }

  // The same by bounds, the least first: calls take(nearest) with the boxes of one bound at a time.
  // Looks at no node whose bound is greater than that of a box for which the limit is lowered.
  // False where more waits on the way than there is room for: then all boxes up to the bound of the
  // last call were shown, and no other. Adds to *seen how many nodes it looked at.
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
  bool IsTakenIn(const BoxTree& tree) const;

  PagedVector<Home, 32> homes_;
  std::vector<BoxTree> trees_;  // some empty
  std::vector<SlottedBox> new_boxes_;
};

template <class Probe, class Take>
bool BoxForest::VisitInOrder(const Probe& probe, const float* limit, std::uint64_t* seen,
                             Take&& take) const {
  WaitingBoxes waiting;
  if (trees_.size() > WaitingBoxes::kMost) return false;
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

#endif  // CLEARANCE_CORE_BROAD_BOX_FOREST_H_
