// SPDX-License-Identifier: Apache-2.0

#include "core/scene/paged_index.h"

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <vector>

#include "core/scene/pair_rules.h"
#include "tests/support/random.h"

namespace clearance {
namespace {

void ExpectHolds(const PagedIndex<BodyId>& index, const std::map<BodyId, std::uint32_t>& expected) {
  for (const auto& [id, slot] : expected) {
    ASSERT_TRUE(index.Find(id).has_value()) << id;
    EXPECT_EQ(*index.Find(id), slot);
    EXPECT_EQ(index.Find(id + 1'000'000).has_value(), expected.count(id + 1'000'000) == 1);
  }
}

TEST(PagedIndex, IsAMapWhoseCopiesStay) {
  testing::Random random(testing::RunSeed());
  PagedIndex<BodyId> index;
  EXPECT_FALSE(index.Find(0).has_value());
  std::map<BodyId, std::uint32_t> expected;
  std::vector<PagedIndex<BodyId>> copies;
  std::vector<std::map<BodyId, std::uint32_t>> expected_copies;
  int erased = 0;
  for (std::uint32_t step = 0; step < 20'000; ++step) {
    const auto id = static_cast<BodyId>(random.OneIn(9) ? random.Next() : random.Below(500));
    if (random.OneIn(2) && expected.count(id) == 1) {
      index.Erase(id);
      expected.erase(id);
      ++erased;
    } else {
      index.Set(id, step);
      expected[id] = step;
    }
    if (step % 2000 == 0) {
      copies.push_back(index);
      expected_copies.push_back(expected);
    }
  }
  EXPECT_GE(erased, 1000);
  ExpectHolds(index, expected);
  for (std::size_t i = 0; i < copies.size(); ++i) ExpectHolds(copies[i], expected_copies[i]);
  while (!expected.empty()) {
    index.Erase(expected.begin()->first);
    EXPECT_FALSE(index.Find(expected.begin()->first).has_value());
    expected.erase(expected.begin());
    if (expected.size() % 64 == 0) ExpectHolds(index, expected);
  }
  EXPECT_GT(index.byte_size(), 0U);
}

}  // namespace
}  // namespace clearance
