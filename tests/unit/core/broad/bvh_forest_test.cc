// SPDX-License-Identifier: Apache-2.0
//
// Forests that grow, shrink and move against a list of boxes, with every revision on the way.

#include "core/broad/bvh_forest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tests/support/random.h"

namespace clearance {
namespace {

using testing::Random;
using testing::RunSeed;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

FloatBox CubeAt(const Vec3d& center, double half) {
  return MakeFloatBox(center - Vec3d{half, half, half}, center + Vec3d{half, half, half});
}

using Found = std::vector<std::pair<std::uint32_t, float>>;

template <class Probe>
Found Search(const BvhForest& forest, const Probe& probe, float limit) {
  Found found;
  forest.Visit(probe, &limit,
               [&](std::uint32_t slot, float bound) { found.emplace_back(slot, bound); });
  std::sort(found.begin(), found.end());
  return found;
}

Found SearchList(const std::vector<FloatBox>& boxes, const FloatBox& probe, float limit) {
  Found found;
  for (std::uint32_t i = 0; i < boxes.size(); ++i) {
    const float bound = GapBound(probe, boxes[i]);
    if (bound <= limit) found.emplace_back(i, bound);
  }
  return found;
}

Found SearchList(const std::vector<FloatBox>& boxes, const MovingFloatBox& probe, float limit) {
  Found found;
  for (std::uint32_t i = 0; i < boxes.size(); ++i) {
    const float bound = EntryTime(probe, boxes[i]);
    if (bound <= limit) found.emplace_back(i, bound);
  }
  return found;
}

class ForestAndList {
 public:
  void Add(const FloatBox& box) {
    forest_.PushBack(box);
    list_.push_back(box);
  }
  void Move(std::uint32_t slot, const FloatBox& box) {
    forest_.Set(slot, box);
    list_[slot] = box;
  }
  void Remove(std::uint32_t slot) {
    forest_.Remove(slot);
    list_[slot] = list_.back();
    list_.pop_back();
  }
  void Settle() { forest_.Settle(); }

  void ExpectEqual(Random& random) const {
    ASSERT_EQ(forest_.size(), list_.size());
    for (int i = 0; i < 8; ++i) {
      const FloatBox probe = CubeAt(random.InCube(10), random.Uniform(0, 2));
      const float limit = random.OneIn(8) ? kInfinity : static_cast<float>(random.Uniform(0, 3));
      EXPECT_EQ(Search(forest_, probe, limit), SearchList(list_, probe, limit));
      const Vec3d low = random.InCube(10);
      const MovingFloatBox moving =
          MakeMovingBox(low, low + Vec3d{0.1, 0.2, 0.3}, random.InCube(8));
      const auto until = static_cast<float>(random.Uniform(0, 1));
      EXPECT_EQ(Search(forest_, moving, until), SearchList(list_, moving, until));
    }
  }

  const BvhForest& forest() const { return forest_; }

 private:
  BvhForest forest_;
  std::vector<FloatBox> list_;
};

TEST(BvhForest, FindsWhatAListFindsThroughAllChanges) {
  Random random(RunSeed());
  ForestAndList both;
  std::vector<ForestAndList> revisions;
  const auto any_slot = [&] {
    return static_cast<std::uint32_t>(random.Below(static_cast<int>(both.forest().size())));
  };
  std::size_t most_trees = 0;
  for (int revision = 0; revision < 300; ++revision) {
    const int added = revision % 100 == 0 ? 700 : random.Below(12);
    for (int i = added; i > 0; --i) {
      both.Add(CubeAt(random.InCube(10), random.Uniform(0, 0.4)));
    }
    const int removed = revision % 100 == 90 ? 600 : random.Below(10);
    for (int i = removed; i > 0 && both.forest().size() > 0; --i) both.Remove(any_slot());
    for (int i = random.Below(60); i > 0 && both.forest().size() > 0; --i) {
      both.Move(any_slot(), CubeAt(random.InCube(10), random.Uniform(0, 0.4)));
    }
    both.Settle();
    both.ExpectEqual(random);
    most_trees = std::max(most_trees, both.forest().tree_count());
    if (revision % 20 == 0) revisions.push_back(both);
  }
  for (const ForestAndList& revision : revisions) revision.ExpectEqual(random);
  EXPECT_GE(most_trees, 3U);
  EXPECT_LE(most_trees, 12U);
}

TEST(BvhForest, OfNothingFindsNothing) {
  BvhForest forest;
  forest.Settle();
  EXPECT_EQ(forest.depth(), 0);
  EXPECT_EQ(forest.tree_count(), 0U);
  EXPECT_TRUE(Search(forest, CubeAt({}, 1), kInfinity).empty());
  forest.PushBack(CubeAt({}, 1));
  forest.Settle();
  EXPECT_EQ(forest.depth(), 1);
  EXPECT_EQ(Search(forest, CubeAt({}, 1), kInfinity).size(), 1U);
  forest.Remove(0);
  forest.Settle();
  EXPECT_EQ(forest.tree_count(), 0U);
  EXPECT_TRUE(Search(forest, CubeAt({}, 1), kInfinity).empty());
}

// Of a few thousand up to two levels more, however the boxes lie.
TEST(BvhForest, IsAsDeepAsEightChildrenANodeMakeIt) {
  Random random(RunSeed());
  for (const auto& [count, depth] :
       {std::pair{8, 1}, {9, 2}, {64, 2}, {65, 3}, {4096, 4}, {4097, 5}, {5000, 5}}) {
    const int more = count > 8 && count <= 4096 ? 2 : 0;
    for (const double growth : {1.0, 1.25, 0x1p-3}) {
      BvhForest forest;
      double place = 1;
      for (int i = 0; i < count; ++i) {
        // In a cube, or each so many times as far as the one before.
        place = std::fmod(place * growth, 1e30) + 1e-30;
        forest.PushBack(growth == 1 ? CubeAt(random.InCube(10), 0.1)
                                    : CubeAt({place, -place, 0}, place / 8));
      }
      forest.Settle();
      EXPECT_GE(forest.depth(), depth) << count;
      EXPECT_LE(forest.depth(), depth + more) << count << " " << growth;
      EXPECT_GT(forest.byte_size(), sizeof(BoxNode) * static_cast<std::size_t>(count) / 8);
    }
  }
}

// Points in a row have no surface: no cut is better than another.
TEST(BvhForest, HalvesWhatHasNoSurface) {
  BvhForest forest;
  for (int i = 0; i < 64; ++i) forest.PushBack(CubeAt({static_cast<double>(i), 0, 0}, 0));
  forest.Settle();
  EXPECT_LE(forest.depth(), 3);
  EXPECT_EQ(Search(forest, CubeAt({}, 100), kInfinity).size(), 64U);
}

// More than are cut by their surfaces.
TEST(BvhForest, FindsInManyWhatAListFinds) {
  Random random(RunSeed());
  ForestAndList both;
  for (int i = 0; i < 6000; ++i) both.Add(CubeAt(random.InCube(10), random.Uniform(0, 0.4)));
  both.Settle();
  both.ExpectEqual(random);
  EXPECT_EQ(both.forest().tree_count(), 1U);
}

// A search among many looks at few nodes.
TEST(BvhForest, LooksAtFewNodes) {
  Random random(RunSeed());
  BvhForest forest;
  for (int i = 0; i < 20'000; ++i) forest.PushBack(CubeAt(random.InCube(50), 0.5));
  forest.Settle();
  std::uint64_t nodes = 0;
  const float limit = 0;
  for (int i = 0; i < 100; ++i) {
    nodes += forest.Visit(CubeAt(random.InCube(50), 0.5), &limit, [](std::uint32_t, float) {});
  }
  EXPECT_LE(nodes, 100U * 40);
}

// Walls as long as the world lie beside the root: cut evenly, as what is added later is, the lamps
// among them are found with three times as many nodes.
TEST(BvhForest, KeepsWhatIsLargeApartFromWhatIsSmall) {
  Random random(RunSeed());
  std::vector<FloatBox> boxes;
  for (std::size_t i = 0; i < 1000; ++i) {
    boxes.push_back(CubeAt(random.InCube(50), 0.5));
    if (i % 5 != 0) continue;
    boxes.back().low[i % 3] = -50;
    boxes.back().high[i % 3] = 50;
  }
  std::uint64_t nodes[2] = {};
  for (const bool is_later : {false, true}) {
    BvhForest forest;
    if (is_later) {
      forest.PushBack(boxes[0]);
      forest.Settle();
    }
    for (const FloatBox& box : boxes) forest.PushBack(box);
    forest.Settle();
    EXPECT_EQ(forest.tree_count(), 1U);
    const float limit = 0;
    for (int i = 0; i < 100; ++i) {
      nodes[is_later ? 1 : 0] +=
          forest.Visit(CubeAt(random.InCube(50), 0.5), &limit, [](std::uint32_t, float) {});
    }
  }
  EXPECT_LE(nodes[0], 100U * 8);
  EXPECT_GE(nodes[1], 100U * 12);
}

TEST(BvhForest, TakesBoxesWithoutEnds) {
  BvhForest forest;
  const FloatBox all = {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
  for (int i = 0; i < 100; ++i) {
    forest.PushBack(i % 3 == 0 ? all : CubeAt({static_cast<double>(i), 0, 0}, 0.1));
  }
  forest.Settle();
  EXPECT_EQ(Search(forest, CubeAt({50, 5, 0}, 0.1), 1).size(), 34U);
  forest.Set(1, all);
  forest.Set(0, CubeAt({50, 5, 0}, 0.1));
  forest.Settle();
  EXPECT_EQ(Search(forest, CubeAt({50, 5, 0}, 0.1), 1).size(), 35U);
}

// Everything in the order of the bounds, all boxes of one bound together: as far as there is room.
TEST(BvhForest, ShowsBoxesByTheirBounds) {
  Random random(RunSeed());
  int shared = 0;
  int given_up = 0;
  for (int round = 0; round < 400; ++round) {
    BvhForest forest;
    // Every fourth round boxes are so large that many of them hold the start.
    const double half = round % 4 == 0 ? 12 : 0.2;
    for (int count : {1 + random.Below(60), random.Below(30), random.Below(8)}) {
      for (; count > 0; --count) forest.PushBack(CubeAt(random.InCube(10), half));
      forest.Settle();
    }
    const MovingFloatBox moving =
        MakeMovingBox(random.InCube(10), random.InCube(10) + Vec3d{20, 20, 20}, random.InCube(20));
    const Found listed = Search(forest, moving, 1);
    Found shown;
    float last = -1;
    float limit = 1;
    std::uint64_t nodes = 0;
    const bool is_whole =
        forest.VisitInOrder(moving, &limit, &nodes, [&](absl::Span<const WaitingBox> boxes) {
          EXPECT_GT(boxes[0].bound(), last);
          last = boxes[0].bound();
          shared += boxes.size() > 1 ? 1 : 0;
          for (const WaitingBox& box : boxes) {
            EXPECT_EQ(box.bound(), last);
            shown.emplace_back(box.slot(), box.bound());
          }
        });
    std::sort(shown.begin(), shown.end());
    given_up += is_whole ? 0 : 1;
    const float until = is_whole ? limit : last;
    Found wanted;
    for (const auto& found : listed) {
      if (found.second <= until) wanted.push_back(found);
    }
    EXPECT_EQ(shown, wanted);
    EXPECT_GT(nodes, 0U);
  }
  EXPECT_GE(shared, 40);
  EXPECT_GE(given_up, 10);
  EXPECT_LE(given_up, 300);
}

// What is farther than the limit has become is not even looked at.
TEST(BvhForest, InOrderLooksAtNoNodeTooMany) {
  Random random(RunSeed());
  BvhForest forest;
  for (int i = 0; i < 20'000; ++i) forest.PushBack(CubeAt(random.InCube(50), 1));
  forest.Settle();
  std::uint64_t nodes = 0;
  std::uint64_t all = 0;
  for (int i = 0; i < 100; ++i) {
    const Vec3d from = random.InCube(50);
    const MovingFloatBox moving = MakeMovingBox(from, from, 1000.0 * random.Direction());
    float limit = 1;
    EXPECT_TRUE(
        forest.VisitInOrder(moving, &limit, &nodes,
                            [&](absl::Span<const WaitingBox> boxes) { limit = boxes[0].bound(); }));
    const float end = 1;
    all += forest.Visit(moving, &end, [](std::uint32_t, float) {});
  }
  EXPECT_LE(2 * nodes, all);
}

// The walk begins with what is near, so that a limit that is lowered by it rules out the rest.
TEST(BvhForest, NarrowsWithItsLimit) {
  Random random(RunSeed());
  BvhForest forest;
  for (int i = 0; i < 20'000; ++i) forest.PushBack(CubeAt(random.InCube(50), 0.01));
  forest.Settle();
  float limit = kInfinity;
  int taken = 0;
  const std::uint64_t nodes = forest.Visit(CubeAt({}, 0), &limit, [&](std::uint32_t, float bound) {
    limit = std::min(limit, bound);
    ++taken;
  });
  EXPECT_LE(taken, 50);
  EXPECT_LE(nodes, 100U);
}

}  // namespace
}  // namespace clearance
