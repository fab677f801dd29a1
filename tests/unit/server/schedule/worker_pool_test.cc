// SPDX-License-Identifier: Apache-2.0

#include "server/schedule/worker_pool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <latch>
#include <optional>
#include <string>

namespace clearance::server {
namespace {

TEST(WorkerPool, IsAsNiceAsAskedAndLeavesWhoMadeItAsHeWas) {
  const int before = getpriority(PRIO_PROCESS, 0);
  int niceness = 0;
  {
    WorkerPool pool(1, kNoLimit, 7);
    WorkerPool::Account account(pool);
    account.Join("anybody");
    std::latch done(1);
    account.Add(1, [&] {
      niceness = getpriority(PRIO_PROCESS, 0);
      done.count_down();
    });
    done.wait();
  }
  EXPECT_EQ(niceness, std::max(before, 7));
  EXPECT_EQ(getpriority(PRIO_PROCESS, 0), before);
}

// One worker, held until everybody has added what they have.
TEST(WorkerPool, AFewAreNotHeldUpByTheMuchOfOne) {
  std::string order;
  std::optional<WorkerPool> pool(1);
  std::latch has_begun(1), release(1);
  {
    WorkerPool::Account first(*pool), greedy(*pool), small(*pool);
    first.Join("first");
    greedy.Join("greedy");
    small.Join("small");
    first.Add(1, [&] {
      has_begun.count_down();
      release.wait();
    });
    has_begun.wait();
    for (int i = 0; i < 5; ++i) greedy.Add(10, [&] { order += 'g'; });
    std::latch done(1);
    small.Add(1, [&] { order += 's'; });
    greedy.Add(10, [&] { done.count_down(); });
    release.count_down();
    done.wait();
  }
  pool.reset();
  EXPECT_EQ(order, "gsgggg");
}

TEST(WorkerPool, FinishesWhatWasAddedBeforeItEnds) {
  int done = 0;
  std::latch release(1);
  std::optional<WorkerPool> pool(1);
  std::optional<WorkerPool::Account> account(*pool);
  account->Join("one");
  account->Add(1, [&] { release.wait(); });
  for (int i = 0; i < 10; ++i) account->Add(1, [&] { ++done; });
  std::latch all_begun(1);
  account->Add(1, [&] { all_begun.count_down(); });
  release.count_down();
  all_begun.wait();
  account.reset();
  pool.reset();
  EXPECT_EQ(done, 10);
}

TEST(WorkerPool, TurnsStandStillOnlyWhileWaitingWorkIsNotBegun) {
  std::latch has_begun(1), release(1), done(2);
  WorkerPool pool(1);
  WorkerPool::Account account(pool);
  account.Join("one");
  EXPECT_NE(pool.turns(), pool.turns()) << "idle";
  account.Add(1, [&] {
    has_begun.count_down();
    release.wait();
    done.count_down();
  });
  has_begun.wait();
  EXPECT_NE(pool.turns(), pool.turns()) << "at work that nobody waits behind";
  account.Add(1, [&] { done.count_down(); });
  const std::uint64_t turns = pool.turns();
  EXPECT_EQ(pool.turns(), turns);
  release.count_down();
  done.wait();
  EXPECT_NE(pool.turns(), turns);
}

TEST(WorkerPool, WorksOnSeveralAtOnce) {
  constexpr int kThreads = 3;
  std::latch all_here(kThreads + 1);  // outlives the workers, who may still be leaving it
  WorkerPool pool(kThreads);
  WorkerPool::Account account(pool);
  account.Join("one");
  for (int i = 0; i < kThreads; ++i) account.Add(1, [&] { all_here.arrive_and_wait(); });
  all_here.arrive_and_wait();
  EXPECT_TRUE(all_here.try_wait());
}

}  // namespace
}  // namespace clearance::server
