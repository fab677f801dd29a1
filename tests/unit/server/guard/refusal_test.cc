// SPDX-License-Identifier: Apache-2.0
#include "server/guard/refusal.h"

#include <gtest/gtest.h>

namespace clearance::server {
namespace {

TEST(Refusal, CarriesTheTimeToWaitRoundedUpAndOnlyIfThereIsOne) {
  const auto after = [](absl::Duration wait) {
    return ErrorOf(Refuse(absl::StatusCode::kResourceExhausted, {.reason = Reason::kQuotaExhausted,
                                                                 .field = "f",
                                                                 .value = "v",
                                                                 .limit = "l",
                                                                 .message = "m",
                                                                 .retry_after = wait}));
  };
  EXPECT_FALSE(after(absl::ZeroDuration()).has_retry_after());
  const v1::Error error = after(absl::Milliseconds(2500));
  EXPECT_EQ(error.retry_after().seconds(), 2);
  EXPECT_EQ(error.retry_after().nanos(), 500'000'001);
  EXPECT_EQ(after(absl::Nanoseconds(1) / 4).retry_after().nanos(), 1);
}

TEST(Refusal, KeepsEverythingUnderAPath) {
  const absl::Status status = Under(
      "shape", Refuse(absl::StatusCode::kResourceExhausted, {.reason = Reason::kQuotaExhausted,
                                                             .field = "f",
                                                             .value = "v",
                                                             .limit = "l",
                                                             .message = "m",
                                                             .retry_after = absl::Seconds(1)}));
  EXPECT_EQ(ErrorOf(status).field(), "shape.f");
  EXPECT_EQ(ErrorOf(status).reason(), "QUOTA_EXHAUSTED");
  EXPECT_EQ(ErrorOf(status).retry_after().seconds(), 1);
}

TEST(Refusal, StatusThatNoRefusalMadeHasTheReasonOfItsCode) {
  EXPECT_EQ(ErrorOf(absl::DeadlineExceededError("late")).reason(), "DEADLINE");
  EXPECT_EQ(ErrorOf(Under("batch", absl::CancelledError("gone"))).reason(), "CANCELLED");
  EXPECT_EQ(ErrorOf(absl::UnavailableError("gone")).reason(), "UNAVAILABLE");
  EXPECT_EQ(ErrorOf(absl::DataLossError("damaged")).reason(), "INTERNAL");
}

}  // namespace
}  // namespace clearance::server
