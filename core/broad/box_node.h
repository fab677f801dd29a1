// SPDX-License-Identifier: Apache-2.0
//
// Eight boxes side by side, with bounds on all of them at once in vector instructions: to the last
// bit the bounds of GapBound and EntryTime on each. Eight, because a vector of AVX2 holds eight
// floats and a node is then four cache lines. With four, a check of one body took a tenth longer
// among a thousand and 1.5 times as long among a hundred thousand, and a change of a thousand poses
// took two thirds longer (tests/bench/scene_bench.cc, AVX-512).

#pragma once

#include <array>
#include <cstdint>

#include "core/broad/float_box.h"

namespace clearance {

struct alignas(32) BoxNode {
  static constexpr std::uint32_t kLanes = 8;
  static constexpr std::uint32_t kNoParent = ~std::uint32_t{0};
  static constexpr std::uint32_t kIsLeaf = std::uint32_t{1} << 31;
  using Row = std::array<float, kLanes>;

  // By axis, then by lane. Lanes that are not used hold kEmptyBox.
  std::array<Row, 3> low;
  std::array<Row, 3> high;
  // A node of the same tree, or kIsLeaf and a slot.
  std::array<std::uint32_t, kLanes> child = {};
  std::uint32_t used = 0;            // a bit a lane
  std::uint32_t parent = kNoParent;  // its lane of the parent: node * kLanes + lane
  float built_size = 0;              // Size() of the union when it was built

  BoxNode();

  FloatBox BoxAt(std::uint32_t lane) const {
    return {{low[0][lane], low[1][lane], low[2][lane]},
            {high[0][lane], high[1][lane], high[2][lane]}};
  }
  void Use(std::uint32_t lane, const FloatBox& box, std::uint32_t what) {
    SetBox(lane, box);
    child[lane] = what;
    used |= 1U << lane;
  }
  void Clear(std::uint32_t lane) {
    SetBox(lane, kEmptyBox);
    used &= ~(1U << lane);
  }
  void SetBox(std::uint32_t lane, const FloatBox& box) {
    for (int i = 0; i < 3; ++i) {
      low[i][lane] = box.low[i];
      high[i][lane] = box.high[i];
    }
  }
  FloatBox UnionOfAll() const;
};

inline constexpr std::uint32_t kNodeLanes = BoxNode::kLanes;

// Returns the lanes whose bound is at most `limit`, a bit each (unused lanes too), and sets the
// bounds of all lanes.
template <class Probe>
using NodeBounds = std::uint32_t (*)(const Probe& probe, const BoxNode& node, float limit,
                                     BoxNode::Row* bounds);

// Returns the function for this machine's vectors: a walk looks it up once, not at every node.
NodeBounds<FloatBox> ChooseBounds(const FloatBox& probe);
NodeBounds<MovingFloatBox> ChooseBounds(const MovingFloatBox& probe);

// The probe of a walk and the function for its bounds. Keeps a reference.
template <class Probe>
struct NodeProbe {
  explicit NodeProbe(const Probe& looked_for)
      : probe(looked_for), bounds_of(ChooseBounds(looked_for)) {}

  const Probe& probe;
  const NodeBounds<Probe> bounds_of;
};

}  // namespace clearance
