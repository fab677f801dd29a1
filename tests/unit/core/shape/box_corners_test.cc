// SPDX-License-Identifier: Apache-2.0
//
// Which eight vertices are a box, and its highest vertex against the heights of all.

#include "core/shape/box_corners.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "tests/support/random.h"

namespace clearance {
namespace {

using testing::Random;

struct Columns {
  std::vector<double> x, y, z;

  void Add(const Vec3d& v) {
    x.push_back(v.x);
    y.push_back(v.y);
    z.push_back(v.z);
  }
  BoxCorners Corners() const { return FindBoxCorners(x, y, z); }
};

Columns Box(const Vec3d& half, Random& random) {
  std::array<unsigned, 8> order;
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = 7; i > 0; --i)
    std::swap(order[i], order[static_cast<std::size_t>(random.Below(static_cast<int>(i) + 1))]);
  Columns columns;
  for (const unsigned k : order) {
    columns.Add({(k & 1) != 0 ? half.x : -half.x, (k & 2) != 0 ? half.y : -half.y,
                 (k & 4) != 0 ? half.z : -half.z});
  }
  return columns;
}

TEST(BoxCorners, FindsTheHighestOfABox) {
  Random random(testing::RunSeed());
  for (int i = 0; i < testing::Effort(2000); ++i) {
    const Columns box =
        Box({random.Uniform(0.1, 1), random.Uniform(0.1, 1), random.Uniform(0.1, 1)}, random);
    const BoxCorners corners = box.Corners();
    ASSERT_TRUE(corners.is_box);
    // Some along an axis, to which four vertices are equally high.
    const Vec3d d = i % 4 == 0 ? Vec3d{0, i % 8 == 0 ? 1.0 : -1.0, 0} : random.Direction();
    double top = -HUGE_VAL;
    for (std::size_t k = 0; k < 8; ++k)
      top = std::max(top, Dot(d, Vec3d{box.x[k], box.y[k], box.z[k]}));
    const std::uint32_t found = corners.Towards(d);
    EXPECT_EQ(Dot(d, Vec3d{box.x[found], box.y[found], box.z[found]}), top);
  }
}

TEST(BoxCorners, AreThoseOfBoxesAboutTheirCentreAlone) {
  Random random(testing::RunSeed());
  const Columns box = Box({0.5, 0.25, 1}, random);
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::vector<double> Columns::*const column : {&Columns::x, &Columns::y, &Columns::z}) {
      Columns bent = box;
      (bent.*column)[i] *= 0.5;
      EXPECT_FALSE(bent.Corners().is_box);
    }
  }
  Columns seven = box;
  for (std::vector<double>* column : {&seven.x, &seven.y, &seven.z}) column->pop_back();
  EXPECT_FALSE(seven.Corners().is_box);
  Columns twice = box;
  twice.x[0] = -twice.x[0];
  EXPECT_FALSE(twice.Corners().is_box) << "a corner twice and another one never";
  EXPECT_FALSE(Box({0, 0.5, 0.5}, random).Corners().is_box);
  EXPECT_FALSE(Box({0.5, 0, 0.5}, random).Corners().is_box);
  EXPECT_FALSE(Box({0.5, 0.5, 0}, random).Corners().is_box);
}

}  // namespace
}  // namespace clearance
