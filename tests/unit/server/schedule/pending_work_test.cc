// SPDX-License-Identifier: Apache-2.0

#include "server/schedule/pending_work.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>

#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

constexpr std::uint64_t kMostPending = 10'000;  // ten milliseconds

class PendingWorkTest : public ::testing::Test {
 protected:
  StopRule EndsAt(SteadyTime deadline) const { return {is_in_vain_, SteadyTime(), deadline}; }

  Metrics metrics_{"test"};
  WorkerPool workers_{0, kMostPending};
  const std::atomic<bool> is_in_vain_ = false;
};

TEST_F(PendingWorkTest, CheapWorkIsNoneOfIt) {
  PendingWork full(metrics_, workers_);
  ASSERT_TRUE(full.Take("one", 2 * kMostPending).ok());
  PendingWork cheap(metrics_, workers_);
  EXPECT_TRUE(cheap.Take("one", kMaxCheapCost).ok());
  EXPECT_TRUE(cheap.RequireTimeLeft(EndsAt(SteadyTime())).ok());
  EXPECT_EQ(metrics_.shed(ShedReason::kOver).Value(), 0);
}

TEST_F(PendingWorkTest, BeyondWhatMayBePendingIsRefusedWithTheTimeToWait) {
  PendingWork first(metrics_, workers_);
  ASSERT_TRUE(first.Take("one", 2 * kMostPending).ok());
  EXPECT_DOUBLE_EQ(metrics_.pending_work().Value(), 0.02);
  const absl::Status status = PendingWork(metrics_, workers_).Take("two", kDear);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  const v1::Error error = ErrorOf(status);
  EXPECT_EQ(error.value(), "1.025ms of one caller, 21.025ms of all");
  EXPECT_EQ(error.limit(),
            "max_pending_work <= 10ms, and of one caller what the others leave free");
  EXPECT_EQ(error.retry_after().nanos(), 20'000'001);
  EXPECT_EQ(metrics_.shed(ShedReason::kFull).Value(), 1);
  EXPECT_EQ(metrics_.shed(ShedReason::kShare).Value(), 0);
}

TEST_F(PendingWorkTest, OneCallerDoesNotGetEverything) {
  PendingWork first(metrics_, workers_);
  ASSERT_TRUE(first.Take("one", kMostPending * 6 / 10).ok());
  EXPECT_FALSE(PendingWork(metrics_, workers_).Take("one", kDear).ok());
  EXPECT_EQ(metrics_.shed(ShedReason::kShare).Value(), 1);
  EXPECT_TRUE(PendingWork(metrics_, workers_).Take("two", kDear).ok());
}

TEST_F(PendingWorkTest, WhatIsDoneIsPendingNoMore) {
  {
    PendingWork first(metrics_, workers_);
    ASSERT_TRUE(first.Take("one", kMostPending).ok());
    first.Add({.waited = absl::Seconds(2), .worked = absl::Seconds(3)});
    first.Add({.waited = absl::Seconds(2), .worked = absl::Seconds(4)});
  }
  EXPECT_EQ(metrics_.pending_work().Value(), 0);
  EXPECT_EQ(metrics_.queue_seconds().Collect().histogram.sample_count, 1u);
  EXPECT_EQ(metrics_.queue_seconds().Collect().histogram.sample_sum, 4);
  EXPECT_EQ(metrics_.work_seconds().Collect().histogram.sample_sum, 7);
  EXPECT_TRUE(PendingWork(metrics_, workers_).Take("one", kDear).ok());
}

TEST_F(PendingWorkTest, WhatIsLeftOfItIsTakenBackWhateverElseThereIs) {
  PendingWork first(metrics_, workers_);
  ASSERT_TRUE(first.Take("one", kMostPending).ok());
  first.Release();
  PendingWork second(metrics_, workers_);
  ASSERT_TRUE(second.Take("two", kMostPending).ok());
  first.TakeBack(kMostPending / 2);
  EXPECT_DOUBLE_EQ(metrics_.pending_work().Value(), 0.015);
  first.Release();
  second.Release();
  first.TakeBack(0);
  EXPECT_NEAR(metrics_.pending_work().Value(), 0, 1e-12);
  EXPECT_TRUE(PendingWork(metrics_, workers_).Take("one", kMostPending).ok());
  PendingWork cheap(metrics_, workers_);
  ASSERT_TRUE(cheap.Take("one", kMaxCheapCost).ok());
  cheap.TakeBack(kMaxCheapCost);
  EXPECT_NEAR(metrics_.pending_work().Value(), 0, 1e-12);
}

TEST_F(PendingWorkTest, WorkWhoseCallIsOverIsCountedAndNotDone) {
  PendingWork work(metrics_, workers_);
  ASSERT_TRUE(work.Take("one", kDear).ok());
  EXPECT_TRUE(work.RequireTimeLeft(EndsAt(SteadyTime::InfiniteFuture())).ok());
  EXPECT_EQ(work.RequireTimeLeft(EndsAt(SteadyTime())).code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(metrics_.shed(ShedReason::kOver).Value(), 1);
}

}  // namespace
}  // namespace clearance::server
