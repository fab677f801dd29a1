// SPDX-License-Identifier: Apache-2.0

#include "core/broad/bvh.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/math/assert.h"

namespace clearance {
namespace {

// A node may grow to this many times its size; then the box that makes it grow must go elsewhere.
constexpr float kMaxGrowth = 2;

// Returns the centre; 0 if the box has no end in either direction.
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

// Returns half of a box's surface. Not a finite number if the box has no end.
double SurfaceOf(const FloatBox& box) {
  std::array<double, 3> side;
  for (std::size_t i = 0; i < 3; ++i) {
    side[i] = static_cast<double>(box.high[i]) - static_cast<double>(box.low[i]);
  }
  return side[0] * side[1] + side[1] * side[2] + side[2] * side[0];
}

FloatBox UnionOf(absl::Span<const SlottedBox> boxes) {
  FloatBox all = kEmptyBox;
  for (const SlottedBox& item : boxes) all = Union(all, item.box);
  return all;
}

// Boxes sorted into bins by their centres along an axis.
class Bins {
 public:
  static constexpr std::size_t kBins = 16;

  Bins(absl::Span<const SlottedBox> boxes, int axis) : axis_(axis) {
    float low = HUGE_VALF, high = -HUGE_VALF;
    for (const SlottedBox& item : boxes) {
      low = std::min(low, CenterOf(item.box, axis));
      high = std::max(high, CenterOf(item.box, axis));
    }
    low_ = low;
    per_length_ = static_cast<float>(kBins) / (high - low);
    for (const SlottedBox& item : boxes) {
      Bin& bin = bins_[PlaceOf(item)];
      bin.box = Union(bin.box, item.box);
      ++bin.count;
    }
  }

  int axis() const { return axis_; }

  // If no quotient is a number, all boxes are in one bin.
  std::size_t PlaceOf(const SlottedBox& item) const {
    const float place = (CenterOf(item.box, axis_) - low_) * per_length_;
    constexpr auto kLast = static_cast<float>(kBins - 1);
    if (!(place > 0)) return 0;
    return place < kLast ? static_cast<std::size_t>(place) : kBins - 1;
  }

  // Calls see(cost, first) for every cut before the bin `first`; the cost is infinite if nothing is
  // on one side.
  template <class See>
  void VisitCuts(const See& see) const {
    std::array<double, kBins> cost_above{};
    Bin above;
    for (std::size_t i = kBins; --i > 0;) {
      above = Sum(above, bins_[i]);
      cost_above[i] = CostOf(above);
    }
    Bin below;
    for (std::size_t i = 1; i < kBins; ++i) {
      below = Sum(below, bins_[i - 1]);
      see(CostOf(below) + cost_above[i], i);
    }
  }

 private:
  struct Bin {
    FloatBox box = kEmptyBox;
    std::size_t count = 0;
  };

  static Bin Sum(const Bin& a, const Bin& b) { return {Union(a.box, b.box), a.count + b.count}; }
  // Infinite for an empty bin.
  static double CostOf(const Bin& bin) {
    return bin.count == 0 ? HUGE_VAL : static_cast<double>(bin.count) * SurfaceOf(bin.box);
  }

  const int axis_;
  float low_ = 0;
  float per_length_ = 0;
  std::array<Bin, kBins> bins_;
};

// Cuts so that the parts have the least surface, each times its number of boxes; in half if no cut
// is better than another. Returns the size of the first part.
std::size_t CutBySurface(absl::Span<SlottedBox> boxes) {
  double least = HUGE_VAL;
  int axis = -1;
  std::size_t first_above = 0;
  for (int i = 0; i < 3; ++i) {
    Bins(boxes, i).VisitCuts([&](double cost, std::size_t first) {
      if (!(cost > 0 && cost < least)) return;
      least = cost;
      axis = i;
      first_above = first;
    });
  }
  if (axis < 0) {
    Cut(boxes, boxes.size() / 2);
    return boxes.size() / 2;
  }
  const Bins bins(boxes, axis);
  const auto above = std::partition(
      boxes.begin(), boxes.end(),
      [&bins, first_above](const SlottedBox& item) { return bins.PlaceOf(item) < first_above; });
  return static_cast<std::size_t>(above - boxes.begin());
}

// The parts of a node's boxes, one a lane.
class Parts {
 public:
  explicit Parts(absl::Span<SlottedBox> boxes) { Add(boxes); }

  absl::Span<const absl::Span<SlottedBox>> all() const {
    return absl::MakeConstSpan(parts_).first(count_);
  }

  // Cuts into halves until none has more than `capacity` boxes, which takes eight parts at most if
  // all boxes have room. Then cuts by surface as long as there are lanes.
  void CutUp(std::size_t capacity) {
    while (count_ < kNodeLanes) {
      const std::size_t largest = Largest([](const auto& part) { return part.size(); });
      const bool is_too_large = parts_[largest].size() > capacity;
      const std::size_t next = is_too_large ? largest : Largest([](const auto& part) {
        return part.size() > 1 ? SurfaceOf(UnionOf(part)) : -1.0;
      });
      const absl::Span<SlottedBox> part = parts_[next];
      if (part.size() == 1) return;
      if (is_too_large) Cut(part, part.size() / 2);
      const std::size_t left = is_too_large ? part.size() / 2 : CutBySurface(part);
      parts_[next] = part.first(left);
      Add(part.subspan(left));
    }
  }

 private:
  void Add(absl::Span<SlottedBox> part) { parts_[count_++] = part; }

  template <class Measure>
  std::size_t Largest(const Measure& measure) const {
    std::size_t largest = 0;
    for (std::size_t i = 1; i < count_; ++i) {
      if (measure(parts_[i]) > measure(parts_[largest])) largest = i;
    }
    return largest;
  }

  std::array<absl::Span<SlottedBox>, kNodeLanes> parts_;
  std::size_t count_ = 0;
};

// Calls take(part) for parts of at most `capacity`, all but one of that size.
template <class Take>
void CutEvenly(absl::Span<SlottedBox> boxes, std::size_t capacity, Take& take) {
  if (boxes.size() <= capacity) return take(boxes);
  const std::size_t parts = (boxes.size() + capacity - 1) / capacity;
  const std::size_t left = parts / 2 * capacity;
  Cut(boxes, left);
  CutEvenly(boxes.first(left), capacity, take);
  CutEvenly(boxes.subspan(left), capacity, take);
}

}  // namespace

float SizeOf(const FloatBox& box) {
  CLEARANCE_ASSERT(box.low[0] <= box.high[0]);
  return (box.high[0] - box.low[0]) + (box.high[1] - box.low[1]) + (box.high[2] - box.low[2]);
}

void Bvh::Build(absl::Span<SlottedBox> boxes) {
  size_ = boxes.size();
  std::size_t capacity = 1;  // of each lane of the root
  while (capacity * kNodeLanes < boxes.size()) capacity *= kNodeLanes;
  if (is_by_surface_) capacity = capacity * kNodeLanes * kNodeLanes;  // room for two more levels
  BuildNode({boxes, capacity}, BoxNode::kNoParent);
}

std::uint32_t Bvh::BuildNode(const Subtree& subtree, std::uint32_t parent) {
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  depth_ = std::max(depth_, subtree.level);
  nodes_.PushBack({});
  nodes_.Mutable(index).parent = parent;
  FillLanes(index, subtree);
  BoxNode& node = nodes_.Mutable(index);
  node.built_size = SizeOf(node.UnionOfAll());
  return index;
}

void Bvh::FillLanes(std::uint32_t index, const Subtree& subtree) {
  std::uint32_t place = index * kNodeLanes;
  const auto take = [&](absl::Span<SlottedBox> part) {
    FillLane(place++, {part, subtree.capacity / kNodeLanes, subtree.level + 1});
  };
  if (!is_by_surface_) return CutEvenly(subtree.boxes, subtree.capacity, take);
  Parts parts(subtree.boxes);
  parts.CutUp(subtree.capacity);
  for (const absl::Span<SlottedBox> part : parts.all()) take(part);
}

void Bvh::FillLane(std::uint32_t place, const Subtree& part) {
  FloatBox box = part.boxes.front().box;
  std::uint32_t what = part.boxes.front().slot | BoxNode::kIsLeaf;
  if (part.boxes.size() > 1) {
    what = BuildNode(part, place);
    box = nodes_[what].UnionOfAll();
  }
  nodes_.Mutable(place / kNodeLanes).Use(place % kNodeLanes, box, what);
}

bool Bvh::TryRefit(Place place, const FloatBox& box) {
  const std::uint32_t index = place / kNodeLanes;
  const std::uint32_t lane = place % kNodeLanes;
  BoxNode changed = nodes_[index];
  changed.SetBox(lane, box);
  // Written so that a size that is NaN is too large.
  if (!(SizeOf(changed.UnionOfAll()) <= kMaxGrowth * changed.built_size)) return false;
  nodes_.Mutable(index) = changed;
  Follow(index);
  return true;
}

void Bvh::Remove(Place place) {
  nodes_.Mutable(place / kNodeLanes).Clear(place % kNodeLanes);
  --size_;
  Follow(place / kNodeLanes);
}

void Bvh::Rename(Place place, std::uint32_t slot) {
  nodes_.Mutable(place / kNodeLanes).child[place % kNodeLanes] = slot | BoxNode::kIsLeaf;
}

void Bvh::Follow(std::uint32_t index) {
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
