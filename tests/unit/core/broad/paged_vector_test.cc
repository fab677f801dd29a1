// SPDX-License-Identifier: Apache-2.0

#include "core/broad/paged_vector.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/support/random.h"

namespace clearance {
namespace {

using Numbers = PagedVector<int, 4, 2>;

void ExpectHolds(const Numbers& numbers, const std::vector<int>& expected) {
  ASSERT_EQ(numbers.size(), expected.size());
  EXPECT_EQ(numbers.empty(), expected.empty());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(numbers[i], expected[i]);
}

TEST(PagedVector, CopiesStayAsTheyWere) {
  testing::Random random(testing::RunSeed());
  Numbers numbers;
  std::vector<int> expected;
  std::vector<Numbers> copies;
  std::vector<std::vector<int>> expected_copies;
  for (int step = 0; step < 4000; ++step) {
    const int what = random.Below(8);
    if (what < 3 || expected.empty()) {
      numbers.PushBack(step);
      expected.push_back(step);
    } else if (what < 5) {
      numbers.PopBack();
      expected.pop_back();
    } else {
      const auto i = static_cast<std::size_t>(random.Below(static_cast<int>(expected.size())));
      numbers.Mutable(i) = -step;
      expected[i] = -step;
    }
    if (step % 100 == 0) {
      copies.push_back(numbers);
      expected_copies.push_back(expected);
    }
  }
  ExpectHolds(numbers, expected);
  for (std::size_t i = 0; i < copies.size(); ++i) ExpectHolds(copies[i], expected_copies[i]);
}

TEST(PagedVector, LetsGoOfWhatIsDropped) {
  PagedVector<std::shared_ptr<int>, 4> pointers;
  const auto item = std::make_shared<int>(1);
  pointers.PushBack(nullptr);
  pointers.PushBack(item);
  EXPECT_EQ(item.use_count(), 2);
  pointers.PopBack();
  EXPECT_EQ(item.use_count(), 1);
}

TEST(PagedVector, CountsItsBytes) {
  Numbers numbers;
  EXPECT_EQ(numbers.byte_size(), 0U);
  numbers.Resize(9);
  EXPECT_GE(numbers.byte_size(), 3 * 4 * sizeof(int));
  EXPECT_EQ(numbers[8], 0);
  numbers.Resize(2);
  EXPECT_EQ(numbers.size(), 2U);
}

TEST(PagedVector, CountsWhatItDoesNotShare) {
  constexpr std::size_t kPage = 4 * sizeof(int);
  Numbers numbers;
  numbers.Resize(4 * 2 * 3);  // three chunks of two pages of four
  const std::size_t whole = numbers.byte_size();
  EXPECT_EQ(numbers.BytesBeside(Numbers()), whole);
  const Numbers before = numbers;
  const std::size_t table = before.BytesBeside(numbers);
  EXPECT_LT(table, whole / 4);
  numbers.Mutable(0) = 1;
  const std::size_t chunk_and_page = before.BytesBeside(numbers) - table;
  EXPECT_GT(chunk_and_page, kPage);
  numbers.Mutable(1) = 1;  // on the page that is copied already
  EXPECT_EQ(before.BytesBeside(numbers), table + chunk_and_page);
  numbers.Mutable(4) = 1;  // on the other page of the chunk
  EXPECT_EQ(before.BytesBeside(numbers), table + chunk_and_page + kPage);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers.Mutable(i) = 2;
  EXPECT_EQ(before.BytesBeside(numbers), before.byte_size());
  numbers.Resize(4 * 2);
  EXPECT_EQ(before.BytesBeside(numbers), before.byte_size());
}

}  // namespace
}  // namespace clearance
