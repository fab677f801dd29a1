// SPDX-License-Identifier: Apache-2.0
//
// Who may hold how many bytes, and who is read again when some are given back.

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>

#include "clearance/v1/error.pb.h"
#include "server/convert/wire_errors.h"
#include "server/guard/refusal.h"
#include "server/observe/metrics.h"
#include "server/transport/call.h"

namespace clearance::server {
namespace {

constexpr std::uint64_t kMostHeld = 1000;

class ByteAccountTest : public testing::Test {
 protected:
  ~ByteAccountTest() override {
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
    }
  }

  using Account = ByteAccount;
  std::unique_ptr<Account> Of(const char* group) {
    return std::make_unique<Account>(budget_, group, &queue_);
  }
  // Completes the next operation of the queue.
  void CompleteNext() {
    void* tag = nullptr;
    bool ok = false;
    ASSERT_TRUE(queue_.Next(&tag, &ok));
    static_cast<Completion*>(tag)->Complete(ok);
  }

  Metrics metrics_{"1"};
  ShareLedger budget_{{.limit = "max_bytes", .retry_after = absl::Milliseconds(1)},
                      kMostHeld,
                      &metrics_.total_bytes_in_flight()};
  grpc::CompletionQueue queue_;
};

TEST_F(ByteAccountTest, WhoIsAloneMayTakeWhateverItIs) {
  const auto one = Of("one");
  EXPECT_TRUE(one->Take(10 * kMostHeld).ok());
  EXPECT_TRUE(one->Take(1).ok()) << "what is begun can be finished";
  EXPECT_EQ(metrics_.total_bytes_in_flight().Value(), 10 * kMostHeld + 1);
  one->Release();
  EXPECT_EQ(budget_.held(), 0u);
  EXPECT_EQ(metrics_.total_bytes_in_flight().Value(), 0);
}

TEST_F(ByteAccountTest, AGroupHoldsNoMoreThanIsLeftBesideIt) {
  const auto one = Of("one"), same = Of("one"), other = Of("other");
  ASSERT_TRUE(one->Take(400).ok());
  EXPECT_TRUE(same->Take(200).ok());
  const absl::Status status = same->Take(1);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  const v1::Error error = ErrorOf(status);
  EXPECT_EQ(error.value(), "601 of one caller, 601 of all");
  EXPECT_EQ(error.limit(), "max_bytes <= 1000, and of one caller what the others leave free");
  EXPECT_TRUE(error.has_retry_after());
  EXPECT_FALSE(same->HasRoom());
  EXPECT_TRUE(other->HasRoom());
  EXPECT_TRUE(other->Take(200).ok());
  EXPECT_FALSE(Of("other")->Take(1).ok());
  EXPECT_EQ(budget_.held(), 800u);
}

TEST_F(ByteAccountTest, WhoHoldsNothingMayTakeOneThingWhileAnythingIsFree) {
  const auto one = Of("one"), other = Of("other"), third = Of("third");
  ASSERT_TRUE(one->Take(kMostHeld - 1).ok());
  EXPECT_TRUE(other->Take(500).ok());
  EXPECT_FALSE(third->Take(1).ok()) << "nothing is free";
  EXPECT_FALSE(third->HasRoom());
  other->Release();
  EXPECT_TRUE(third->Take(1).ok());
}

TEST_F(ByteAccountTest, TakesTheRestOfWhatIsHeldInPart) {
  const auto one = Of("one");
  ASSERT_TRUE(one->Take(100).ok());
  EXPECT_TRUE(one->TakeUpTo(60).ok());
  EXPECT_EQ(budget_.held(), 100u);
  EXPECT_TRUE(one->TakeUpTo(160).ok());
  EXPECT_EQ(budget_.held(), 160u);
}

TEST_F(ByteAccountTest, AnEndGivesBackWhatWasHeld) {
  Of("one")->Take(700).IgnoreError();
  EXPECT_EQ(budget_.held(), 0u);
}

TEST_F(ByteAccountTest, WhoWaitsIsWokenOnceThereIsRoomForThem) {
  auto one = Of("one");
  const auto same = Of("one"), other = Of("other");
  ASSERT_TRUE(one->Take(kMostHeld).ok());
  same->AwaitRoom();
  other->AwaitRoom();
  EXPECT_TRUE(same->room().is_pending());
  one.reset();
  CompleteNext();
  CompleteNext();
  EXPECT_FALSE(same->room().is_pending());
  EXPECT_FALSE(other->room().is_pending());
}

TEST_F(ByteAccountTest, WhoNeedNotWaitIsWokenAtOnceAndWhoStopsToo) {
  const auto one = Of("one"), other = Of("other");
  one->AwaitRoom();
  CompleteNext();
  EXPECT_FALSE(one->room().is_pending());
  ASSERT_TRUE(one->Take(kMostHeld).ok());
  other->AwaitRoom();
  other->StopWaiting();
  CompleteNext();
  EXPECT_FALSE(other->room().is_pending());
}

}  // namespace
}  // namespace clearance::server
