// SPDX-License-Identifier: Apache-2.0

#include "core/broad/recycling_allocator.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace clearance {
namespace {

// One of its own for each test.
template <int kTest>
struct alignas(64) Block {
  std::array<std::byte, 1000> bytes;
};

TEST(RecyclingAllocator, TakesFirstWhatWasGivenBack) {
  using Allocator = RecyclingAllocator<Block<1>>;
  if (Allocator::kMaxKept == 0)
    GTEST_SKIP() << "SKIPPED: needs a build without the address sanitizer";
  Allocator allocator;
  std::vector<Block<1>*> taken;
  for (int i = 0; i < 3; ++i) taken.push_back(allocator.allocate(1));
  for (Block<1>* const block : taken) allocator.deallocate(block, 1);
  EXPECT_EQ(Allocator::kept(), 3u);
  for (int i = 2; i >= 0; --i) {
    Block<1>* const again = allocator.allocate(1);
    EXPECT_EQ(again, taken[static_cast<std::size_t>(i)]);
    std::allocator<Block<1>>().deallocate(again, 1);
  }
  EXPECT_EQ(Allocator::kept(), 0u);
}

TEST(RecyclingAllocator, KeepsNoMoreThanItMay) {
  using Allocator = RecyclingAllocator<Block<2>>;
  Allocator allocator;
  std::vector<Block<2>*> taken(Allocator::kMaxKept + 10);
  for (Block<2>*& block : taken) block = allocator.allocate(1);
  for (Block<2>* const block : taken) allocator.deallocate(block, 1);
  EXPECT_EQ(Allocator::kept(), Allocator::kMaxKept);
  EXPECT_LE(Allocator::kept() * sizeof(Block<2>), kMaxKeptBytes);
  Block<2>* const several = allocator.allocate(2);
  EXPECT_EQ(Allocator::kept(), Allocator::kMaxKept);
  allocator.deallocate(several, 2);
  EXPECT_EQ(Allocator::kept(), Allocator::kMaxKept);
}

TEST(RecyclingAllocator, KeepsWithTheThreadThatGivesBack) {
  using Allocator = RecyclingAllocator<Block<3>>;
  Allocator allocator;
  Block<3>* const block = allocator.allocate(1);
  std::thread([&] {
    allocator.deallocate(block, 1);
    EXPECT_EQ(Allocator::kept(), Allocator::kMaxKept == 0 ? 0u : 1u);
  }).join();
  EXPECT_EQ(Allocator::kept(), 0u);
}

// As what is static gives back after its thread's blocks are gone.
TEST(RecyclingAllocator, KeepsNothingAfterItsThreadsBlocksAreGone) {
  using Allocator = RecyclingAllocator<Block<4>>;
  static std::size_t kept_late;
  kept_late = 99;
  struct Late {
    ~Late() {
      if (block == nullptr) return;
      Allocator().deallocate(block, 1);
      Allocator().deallocate(Allocator().allocate(1), 1);
      kept_late = Allocator::kept();
    }
    Block<4>* block = nullptr;
  };
  std::thread([] {
    thread_local Late late;
    Allocator allocator;
    late.block = allocator.allocate(1);
    allocator.deallocate(allocator.allocate(1), 1);
  }).join();
  EXPECT_EQ(kept_late, 0u);
}

}  // namespace
}  // namespace clearance
