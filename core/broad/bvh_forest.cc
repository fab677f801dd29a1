// SPDX-License-Identifier: Apache-2.0

#include "core/broad/bvh_forest.h"

#include <algorithm>

#include "absl/types/span.h"

namespace clearance {
namespace {

// A tree up to this many times as large as the new boxes is built again with them.
constexpr std::size_t kSizeRatio = 4;

}  // namespace

void BvhForest::PushBack(const FloatBox& box) {
  const auto slot = static_cast<std::uint32_t>(homes_.size());
  homes_.PushBack({kNew, static_cast<std::uint32_t>(new_boxes_.size())});
  new_boxes_.push_back({box, slot});
}

void BvhForest::Set(std::uint32_t slot, const FloatBox& box) {
  const Home home = homes_[slot];
  if (home.tree == kNew) {
    new_boxes_[home.place].box = box;
    return;
  }
  if (trees_[home.tree].TryRefit(home.place, box)) return;
  trees_[home.tree].Remove(home.place);
  homes_.Mutable(slot) = {kNew, static_cast<std::uint32_t>(new_boxes_.size())};
  new_boxes_.push_back({box, slot});
}

void BvhForest::Prefetch(std::uint32_t slot) const {
  const Home home = homes_[slot];
  if (home.tree != kNew) trees_[home.tree].Prefetch(home.place);
}

void BvhForest::Remove(std::uint32_t slot) {
  TakeOut(homes_[slot]);
  const auto last = static_cast<std::uint32_t>(homes_.size() - 1);
  if (slot != last) {
    const Home home = homes_[last];
    if (home.tree == kNew) {
      new_boxes_[home.place].slot = slot;
    } else {
      trees_[home.tree].Rename(home.place, slot);
    }
    homes_.Mutable(slot) = home;
  }
  homes_.PopBack();
}

void BvhForest::TakeOut(const Home& home) {
  if (home.tree != kNew) return trees_[home.tree].Remove(home.place);
  new_boxes_[home.place] = new_boxes_.back();
  homes_.Mutable(new_boxes_[home.place].slot).place = home.place;
  new_boxes_.pop_back();
}

// Returns whether a tree is less than half full, or not much larger than the part that is built
// anyway.
bool BvhForest::IsTakenIn(const Bvh& tree) const {
  if (tree.built_count() == 0) return false;
  if (2 * tree.size() < tree.built_count()) return true;
  return tree.size() <= kSizeRatio * new_boxes_.size();
}

void BvhForest::TakeIn(std::size_t tree) {
  trees_[tree].VisitLeaves([&](const SlottedBox& leaf, Bvh::Place) { new_boxes_.push_back(leaf); });
  trees_[tree] = {};
}

// Goes from the smallest tree to the largest, because each one that is taken in makes the new tree
// larger.
void BvhForest::Settle() {
  std::vector<std::size_t> by_size;
  for (std::size_t i = 0; i < trees_.size(); ++i) by_size.push_back(i);
  std::stable_sort(by_size.begin(), by_size.end(), [&](std::size_t a, std::size_t b) {
    return trees_[a].size() < trees_[b].size();
  });
  for (const std::size_t i : by_size) {
    if (IsTakenIn(trees_[i])) TakeIn(i);
  }
  if (new_boxes_.empty()) return;
  // The boxes of the first build mostly stay. Later ones come and go, so their tree is built
  // quickly.
  const Bvh::Cuts cuts = trees_.empty() ? Bvh::Cuts::kBySurface : Bvh::Cuts::kEven;
  const auto free =
      std::find_if(trees_.begin(), trees_.end(), [](const Bvh& tree) { return tree.size() == 0; });
  const auto index = static_cast<std::uint32_t>(free - trees_.begin());
  if (free == trees_.end()) trees_.emplace_back();
  trees_[index] = Bvh(absl::MakeSpan(new_boxes_), cuts, [&](std::uint32_t slot, Bvh::Place place) {
    homes_.Mutable(slot) = {index, place};
  });
  new_boxes_ = {};
}

std::size_t BvhForest::tree_count() const {
  return static_cast<std::size_t>(
      std::count_if(trees_.begin(), trees_.end(), [](const Bvh& tree) { return tree.size(); }));
}

int BvhForest::depth() const {
  int depth = 0;
  for (const Bvh& tree : trees_) depth = std::max(depth, tree.depth());
  return depth;
}

std::size_t BvhForest::byte_size() const {
  std::size_t size = homes_.byte_size() + trees_.capacity() * sizeof(Bvh);
  for (const Bvh& tree : trees_) size += tree.byte_size();
  return size;
}

std::size_t BvhForest::BytesBeside(const BvhForest& other) const {
  std::size_t size = homes_.BytesBeside(other.homes_) + trees_.capacity() * sizeof(Bvh);
  for (std::size_t i = 0; i < trees_.size(); ++i) {
    const bool has_place = i < other.trees_.size();
    size += has_place ? trees_[i].BytesBeside(other.trees_[i]) : trees_[i].byte_size();
  }
  return size;
}

}  // namespace clearance
