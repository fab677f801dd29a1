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

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/broad/box_tree.h"
#include "core/broad/float_box.h"
#include "core/broad/paged_vector.h"

namespace clearance {

// A value whose copies share what they have in common. Between changes and Settle nothing may be
// asked; one that is settled may be read by any number of threads.
class BoxForest {
 public:
  // Slots are 0, 1, ... without a gap.
  std::size_t size() const { return homes_.size(); }
  void PushBack(const FloatBox& box);
  void Set(std::uint32_t slot, const FloatBox& box);
  // The last slot's box takes its place.
  void Remove(std::uint32_t slot);
  void Settle();

  std::size_t tree_count() const;
  int depth() const;
  std::size_t byte_size() const;

  // As BoxTree has it.
  template <class Probe, class Take>
  std::uint64_t Visit(const Probe& probe, const float* limit, Take&& take) const {
    std::uint64_t seen = 0;
    for (const BoxTree& tree : trees_) seen += tree.Visit(probe, limit, take);
    return seen;
  }

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

}  // namespace clearance

#endif  // CLEARANCE_CORE_BROAD_BOX_FOREST_H_
