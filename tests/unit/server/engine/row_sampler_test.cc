// SPDX-License-Identifier: Apache-2.0
//
// One row in N, whatever the batches. The oracle is a count.

#include "server/engine/row_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

namespace clearance::server {
namespace {

// How many of a batch of so many rows are picked.
std::uint64_t PickedOf(RowSampler& sampler, std::uint32_t rows) {
  SampledRows sampled = sampler.Draw(rows);
  std::uint64_t picked = 0;
  for (std::uint32_t i = 0; i < rows; ++i) picked += sampled.Next() ? 1 : 0;
  return picked;
}

TEST(RowSampler, PicksExactlyOneInNOverBatchesOfAnySize) {
  for (const std::uint64_t one_in : {1, 2, 3, 7, 64, 10'000}) {
    RowSampler sampler(one_in);
    std::uint64_t rows = 0;
    std::uint64_t picked = 0;
    std::uint32_t size = 1;
    for (int batch = 0; batch < 2000; ++batch) {
      size = size * 29 % 9973;
      picked += PickedOf(sampler, size % 300);
      rows += size % 300;
      EXPECT_GE(picked, rows / one_in);
      EXPECT_LE(picked, rows / one_in + 1);
    }
    const auto rest = static_cast<std::uint32_t>(one_in - rows % one_in);
    EXPECT_EQ(picked + PickedOf(sampler, rest), (rows + rest) / one_in);
  }
}

TEST(RowSampler, PicksNoneWhereItIsOff) {
  RowSampler sampler(0);
  EXPECT_EQ(PickedOf(sampler, 1000), 0u);
  EXPECT_EQ(PickedOf(sampler, 1000), 0u);
}

TEST(RowSampler, PicksTheSameRowsEveryTime) {
  RowSampler one(100), other(100);
  SampledRows rows = one.Draw(1000), same = other.Draw(1000);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(rows.Next(), same.Next()) << i;
}

// However a stream of rows is cut into batches, the same ones are picked.
TEST(RowSampler, DoesNotDependOnHowRowsAreCutIntoBatches) {
  RowSampler whole(50), cut(50);
  SampledRows rows = whole.Draw(5000);
  for (int batch = 0; batch < 1000; ++batch) {
    SampledRows five = cut.Draw(5);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(rows.Next(), five.Next());
  }
}

TEST(RowSampler, PicksBatchesOfOneRowFromManyThreadsAsOftenAsAny) {
  constexpr std::uint64_t kOneIn = 10;
  constexpr int kThreads = 4;
  constexpr int kBatches = 5000;
  RowSampler sampler(kOneIn);
  std::vector<std::uint64_t> picked(kThreads);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      std::uint64_t own = 0;
      for (int i = 0; i < kBatches; ++i) own += PickedOf(sampler, 1);
      picked[thread] = own;
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::uint64_t sum = 0;
  for (const std::uint64_t own : picked) sum += own;
  EXPECT_EQ(sum, kThreads * kBatches / kOneIn);
}

// A client whose batches are as long as the window must not have the same row picked each time.
TEST(RowSampler, DoesNotFallIntoStepWithBatches) {
  constexpr std::uint32_t kBatchRows = 100;
  RowSampler sampler(kBatchRows);
  std::set<std::uint32_t> places;
  for (int batch = 0; batch < 1000; ++batch) {
    SampledRows sampled = sampler.Draw(kBatchRows);
    for (std::uint32_t i = 0; i < kBatchRows; ++i) {
      if (sampled.Next()) places.insert(i);
    }
  }
  EXPECT_GT(places.size(), 95u);
}

// Rows that were drawn and never answered take their tickets with them.
TEST(RowSampler, LosesOnlyTheRowsThatWereNotReached) {
  RowSampler sampler(1);
  SampledRows cut_short = sampler.Draw(10);
  EXPECT_TRUE(cut_short.Next());
  EXPECT_EQ(PickedOf(sampler, 3), 3u);
}

}  // namespace
}  // namespace clearance::server
