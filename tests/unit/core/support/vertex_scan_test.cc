// SPDX-License-Identifier: Apache-2.0
//
// The scan against one vertex after another, with vectors of every width that this processor has.

#include "core/support/vertex_scan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "hwy/targets.h"
#include "tests/support/random.h"

namespace clearance {
namespace {

using testing::Random;

struct Columns {
  std::vector<double> x, y, z;

  VertexColumns View() const {
    return {x.data(), y.data(), z.data(), static_cast<std::uint32_t>(x.size())};
  }
};

// On a coarse lattice, so that many are equally high.
Columns RandomColumns(std::uint32_t size, Random& random) {
  const auto coordinate = [&] { return 0.25 * static_cast<double>(random.Below(9)) - 1; };
  Columns columns;
  for (std::uint32_t i = 0; i < size; ++i) {
    columns.x.push_back(coordinate());
    columns.y.push_back(coordinate());
    columns.z.push_back(coordinate());
  }
  return columns;
}

ScannedVertex OneByOne(const Columns& columns, const Vec3d& d) {
  ScannedVertex best = {0, -HUGE_VAL};
  for (std::uint32_t i = 0; i < columns.x.size(); ++i) {
    const double height = d.x * columns.x[i] + d.y * columns.y[i] + d.z * columns.z[i];
    if (height > best.height) best = {i, height};
  }
  return best;
}

std::uint32_t CountOneByOne(const Columns& columns, const Vec3d& d, double floor) {
  std::uint32_t below = 0;
  for (std::uint32_t i = 0; i < columns.x.size(); ++i) {
    const double height = d.x * columns.x[i] + d.y * columns.y[i] + d.z * columns.z[i];
    if (height < floor) ++below;
  }
  return below;
}

// Floors at a vertex's height, of which there are many on the lattice, so that equality counts.
void ExpectTheSameCounts(Random& random) {
  std::uint32_t below = 0, all = 0;
  for (std::uint32_t size = 1; size <= 40; ++size) {
    for (int k = 0; k < 20; ++k) {
      const Columns columns = RandomColumns(size, random);
      const Vec3d d = k % 2 == 0 ? Vec3d{0, 1, 0} : random.Direction();
      const double floor = 0.25 * static_cast<double>(random.Below(9)) - 1;
      const std::uint32_t want = CountOneByOne(columns, d, floor);
      ASSERT_EQ(CountBelow(columns.View(), d, floor), want) << size << " vertices";
      below += want;
      all += size;
    }
  }
  EXPECT_GT(below, all / 4);
  EXPECT_LT(below, all - all / 4);
}

void ExpectTheSameOnAllSizes(Random& random) {
  int ties = 0;
  for (std::uint32_t size = 1; size <= 70; ++size) {
    for (int k = 0; k < 20; ++k) {
      const Columns columns = RandomColumns(size, random);
      const Vec3d d = k % 2 == 0 ? Vec3d{0, 1, 0} : random.Direction();
      const ScannedVertex want = OneByOne(columns, d);
      const ScannedVertex found = HighestOfAll(columns.View(), d);
      ASSERT_EQ(found.vertex, want.vertex) << size << " vertices";
      ASSERT_EQ(found.height, want.height) << size << " vertices";
      for (std::uint32_t i = want.vertex + 1; i < size; ++i) {
        if (columns.y[i] != columns.y[want.vertex] || k % 2 != 0) continue;
        ++ties;
        break;
      }
    }
  }
  EXPECT_GT(ties, 300) << "too few vertices equally high";
}

TEST(VertexScan, FindsTheFirstOfTheHighestWithVectorsOfAnyWidth) {
  Random random(testing::RunSeed());
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    ExpectTheSameOnAllSizes(random);
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(VertexScan, CountsTheLowerOnesWithVectorsOfAnyWidth) {
  Random random(testing::RunSeed() + 1);
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    ExpectTheSameCounts(random);
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace
}  // namespace clearance
