// SPDX-License-Identifier: Apache-2.0
#include "server/guard/quota.h"

#include <gtest/gtest.h>

#include <ctime>
#include <memory>
#include <utility>

#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

Caller CallerWith(const PrincipalLimits& limits) {
  auto principal = std::make_shared<Principal>(Principal{
      .id = "planner", .role = Role::kQuery, .prefixes = {}, .limits = limits, .usage = {}});
  principal->usage = std::make_shared<PrincipalUsage>([] { return SteadyTime(absl::Hours(1)); });
  return {.principal = principal, .peer = "", .request_id = "", .trace_id = ""};
}

TEST(ProcessorTime, IsRefusedWithTheTimeToWaitOnceOverdrawn) {
  const Caller caller = CallerWith({.sessions = {}, .cores = 0.5});
  EXPECT_TRUE(RequireProcessorTime(caller).ok());
  caller.principal->usage->Charge(absl::Seconds(1));
  const absl::Status status = RequireProcessorTime(caller);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  const v1::Error error = ErrorOf(status);
  EXPECT_EQ(error.limit(), "cores <= 0.5 of principal planner");
  EXPECT_EQ(error.retry_after().seconds(), 1);
  EXPECT_EQ(error.retry_after().nanos(), 1);
}

TEST(ProcessorTime, IsChargedWithWhatTheThreadSpent) {
  const Caller caller = CallerWith({.sessions = {}, .cores = 0.001});
  volatile int sum = 0;
  while (RequireProcessorTime(caller).ok()) {
    const ProcessorMeter meter(caller);
    for (int i = 0; i < 100'000; ++i) sum = sum + 1;
  }
  const absl::Duration wait = caller.principal->usage->TimeUntilEven(0.001);
  EXPECT_GT(wait, absl::ZeroDuration());
  EXPECT_LT(wait, absl::Hours(1));
}

// A second's worth is full at first; of 0.01 cores that is what 5 MB cost.
TEST(Arrears, AreChargedOnceAndOnlyWhenPaid) {
  const Caller caller = CallerWith({.sessions = {}, .cores = 0.01});
  EXPECT_TRUE(RequireProcessorTime(caller).ok());  // before, as calls do: the account is full
  {
    Arrears arrears(caller);
    arrears.Receive(10'000'000);
    EXPECT_TRUE(RequireProcessorTime(caller).ok());
    arrears.Pay();
    EXPECT_EQ(TimeUntilEven(caller), absl::Seconds(1));
  }
  EXPECT_EQ(TimeUntilEven(caller), absl::Seconds(1));
  Arrears(caller).Receive(5'000'000);
  EXPECT_EQ(TimeUntilEven(caller), absl::Seconds(2));
}

TEST(Arrears, HaveWhatTheWorkOfThisThreadTook) {
  const Caller caller = CallerWith({.sessions = {}, .cores = 0.001});
  EXPECT_TRUE(RequireProcessorTime(caller).ok());
  volatile int sum = 0;
  Arrears(caller).Meter([&] {
    for (int i = 0; i < 50'000'000; ++i) sum = sum + 1;
  });
  EXPECT_FALSE(RequireProcessorTime(caller).ok());
}

// The account holds a second's worth, and may be overdrawn by as much.
TEST(ProcessorTime, EndsWorkThatOverdrawsAndIsChargedOnce) {
  constexpr double kCores = 0.004;
  const Caller caller = CallerWith({.sessions = {}, .cores = kCores});
  const auto thread_time = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return absl::DurationFromTimespec(time);
  };
  EXPECT_FALSE(ProcessorMeter::IsOverdrawn());
  EXPECT_TRUE(RequireProcessorTime(caller).ok());  // before work, as calls do: the account is full
  const absl::Duration began = thread_time();
  absl::Duration allowed, next;
  {
    const ProcessorMeter meter(caller);
    const absl::Duration metered_from = thread_time();
    do {
      allowed = std::exchange(next, thread_time() - metered_from);
    } while (!ProcessorMeter::IsOverdrawn());
  }
  EXPECT_FALSE(ProcessorMeter::IsOverdrawn());
  EXPECT_GE(thread_time() - began, absl::Seconds(2 * kCores));
  EXPECT_LE(allowed, absl::Seconds(2 * kCores));
  const absl::Duration wait = caller.principal->usage->TimeUntilEven(kCores);
  EXPECT_GE(wait, absl::Seconds(1));
  EXPECT_LE(wait, (thread_time() - began) / kCores - absl::Seconds(1));
}

TEST(ProcessorTime, IsNobodysConcernWithoutALimit) {
  for (const Caller& caller : {Caller{}, CallerWith({})}) {
    if (caller.principal != nullptr) caller.principal->usage->Charge(absl::Hours(1));
    Arrears(caller).Receive(1'000'000'000);
    EXPECT_TRUE(RequireProcessorTime(caller).ok());
    const ProcessorMeter meter(caller);
  }
}

}  // namespace
}  // namespace clearance::server
