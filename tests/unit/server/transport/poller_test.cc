// SPDX-License-Identifier: Apache-2.0
//
// Whether a polling thread answers when it is asked to turn.

#include "server/transport/poller.h"

#include <grpc/support/time.h>
#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace clearance::server {
namespace {

// A poller of a server that was never started.
struct TestPoller {
  TestPoller() { poller = std::make_unique<Poller>(builder.AddCompletionQueue()); }

  grpc::ServerBuilder builder;
  std::unique_ptr<Poller> poller;
};

// Keeps the polling thread until it is let go.
class Hold final : public Completion {
 public:
  void Complete(bool /*ok*/) override {
    begun.count_down();
    release.wait();
  }

  std::latch begun{1}, release{1};
};

void AwaitTurnAfter(const Poller& poller, std::uint64_t turns) {
  while (poller.turns() == turns) std::this_thread::yield();
}

// Spends processor time until it is let go.
class Spending final : public Completion {
 public:
  void Complete(bool /*ok*/) override {
    while (!is_enough) ++steps;
  }

  std::atomic<bool> is_enough = false;
  std::atomic<std::uint64_t> steps = 0;
};

TEST(PollerHold, DoesNotCountWhatTheServersOwnCodeSpends) {
  Spending spending;  // as long as the thread that it keeps
  const TestPoller test;
  test.poller->Run();
  grpc::Alarm alarm;
  alarm.Set(test.poller->queue(), gpr_time_0(GPR_CLOCK_MONOTONIC),
            static_cast<Completion*>(&spending));
  while (spending.steps == 0) std::this_thread::yield();
  EXPECT_EQ(test.poller->HeldFor(), absl::ZeroDuration());
  const std::uint64_t before = spending.steps;
  while (spending.steps < before + 1'000'000) std::this_thread::yield();
  EXPECT_EQ(test.poller->HeldFor(), absl::ZeroDuration());
  spending.is_enough = true;
}

TEST(PollerTurns, AnIdlePollerTurnsEachTimeItIsAsked) {
  const TestPoller test;
  test.poller->Run();
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t turns = test.poller->turns();
    test.poller->AskToTurn();
    AwaitTurnAfter(*test.poller, turns);
  }
}

TEST(PollerTurns, AThreadThatIsHeldDoesNotTurnAndDoesOnceItIsLetGo) {
  Hold hold;  // as long as the thread that it keeps
  const TestPoller test;
  test.poller->Run();
  grpc::Alarm alarm;
  alarm.Set(test.poller->queue(), gpr_time_0(GPR_CLOCK_MONOTONIC), static_cast<Completion*>(&hold));
  hold.begun.wait();
  const std::uint64_t turns = test.poller->turns();
  // More than one question is not an error.
  for (int i = 0; i < 3; ++i) test.poller->AskToTurn();
  EXPECT_EQ(test.poller->turns(), turns);
  hold.release.count_down();
  AwaitTurnAfter(*test.poller, turns + 1);
}

// ---- Turns of messages ----

// One that arrives on the poller, waits for its turn and writes down whose it was.
struct Arrival {
  Operation arrived;
  grpc::Alarm alarm;
};

constexpr char kNoTurn[] = "no turn";

Detached TakeTurn(Poller& poller, Arrival& arrival, std::string group, bool is_refused,
                  std::vector<std::string>* taken, std::atomic<std::size_t>* count) {
  co_await arrival.arrived;
  const bool had_turn = co_await Poller::Turn(poller, group, is_refused);
  taken->push_back(had_turn ? group : kNoTurn);
  ++*count;
}

// Whose turns come in which order if messages of these groups arrive in this one, while the thread
// is busy. Those of a group that begins with '!' are refused; those that found no room among the
// waiting are kNoTurn.
std::vector<std::string> OrderOfTurns(const std::vector<std::string>& groups) {
  Hold hold;
  std::vector<std::unique_ptr<Arrival>> arrivals;
  std::vector<std::string> taken;
  std::atomic<std::size_t> count = 0;
  const TestPoller test;
  const auto arrive = [&test](grpc::Alarm& alarm, Completion* completion) {
    alarm.Set(test.poller->queue(), gpr_time_0(GPR_CLOCK_MONOTONIC), completion);
  };
  test.poller->Run();
  grpc::Alarm alarm;
  arrive(alarm, &hold);
  hold.begun.wait();
  for (const std::string& group : groups) {
    Arrival& arrival = *arrivals.emplace_back(std::make_unique<Arrival>());
    arrival.arrived.Start();
    TakeTurn(*test.poller, arrival, group, group.starts_with('!'), &taken, &count);
    arrive(arrival.alarm, &arrival.arrived);
  }
  hold.release.count_down();
  while (count < groups.size()) std::this_thread::yield();
  return taken;
}

std::size_t PlaceOf(const std::string& group, const std::vector<std::string>& taken) {
  return std::find(taken.begin(), taken.end(), group) - taken.begin();
}

TEST(PollerTurn, WhoSendsManyWaitsForItself) {
  std::vector<std::string> groups(1'000, "crowd");
  groups.push_back("one");
  const std::vector<std::string> taken = OrderOfTurns(groups);
  ASSERT_EQ(taken.size(), groups.size());
  // Some turns are taken while messages still arrive, one for 32 of them.
  EXPECT_LE(PlaceOf("one", taken), 1'000 / 32 + 2);
}

TEST(PollerTurn, WhatIsRefusedWaitsForWhatIsNotAndComesAllTheSame) {
  constexpr int kRefused = Poller::kMostRefusedWaiting / 2;
  std::vector<std::string> groups(kRefused, "!refused");
  groups.insert(groups.end(), 300, "admitted");
  const std::vector<std::string> taken = OrderOfTurns(groups);
  ASSERT_EQ(taken.size(), groups.size());
  EXPECT_EQ(std::count(taken.begin(), taken.end(), kNoTurn), 0);
  const auto last = std::find(taken.rbegin(), taken.rend(), "admitted").base();
  const auto refused_before = std::count(taken.begin(), last, "!refused");
  EXPECT_LE(refused_before, kRefused / 32 + 300 / 31 + 2);
  EXPECT_GE(refused_before, 300 / 32);
}

// Waiting calls take memory. Half of the room is left to other groups.
TEST(PollerTurn, WhatIsRefusedBeyondTheRoomDoesNotWait) {
  constexpr std::size_t kMost = Poller::kMostRefusedWaiting;
  const std::vector<std::string> taken = OrderOfTurns(std::vector<std::string>(3 * kMost, "!one"));
  const auto without = std::count(taken.begin(), taken.end(), kNoTurn);
  // One in 32 is taken while they arrive.
  EXPECT_LE(without, 3 * kMost - kMost / 2);
  EXPECT_GE(without, 3 * kMost - kMost / 2 - 3 * kMost / 32 - 2);
}

TEST(PollerTurn, ACrowdLeavesHalfOfTheRoomToOthers) {
  constexpr std::size_t kMost = Poller::kMostWaiting;
  std::vector<std::string> groups(kMost, "crowd");
  groups.push_back("one");
  const std::vector<std::string> taken = OrderOfTurns(groups);
  EXPECT_EQ(std::count(taken.begin(), taken.end(), "one"), 1);
  EXPECT_GE(std::count(taken.begin(), taken.end(), kNoTurn), kMost / 2 - kMost / 32 - 2);
}

// ---- Looks ----

// Each time somebody asks, on the polling thread; whoever is gone is not called.
TEST(PollerLookAgain, CallsThoseWhoWaitForIt) {
  const TestPoller test;
  std::atomic<int> looks = 0;
  std::thread::id where;
  int gone = 0;
  const Poller::Hook looker(*test.poller, [&] {
    where = std::this_thread::get_id();
    ++looks;
  });
  {
    const Poller::Hook brief(*test.poller, [&] { ++gone; });
  }
  test.poller->Run();
  for (int i = 1; i <= 100; ++i) {
    test.poller->LookAgain();
    while (looks < i) std::this_thread::yield();
  }
  EXPECT_NE(where, std::this_thread::get_id());
  EXPECT_EQ(gone, 0);
}

TEST(PollerLookLater, CallsThoseWhoWaitForItOnceMore) {
  const TestPoller test;
  std::atomic<int> looks = 0;
  const Poller::Hook looker(*test.poller, [&] {
    for (int i = 0; i < 3 && looks == 0; ++i) test.poller->LookLater(absl::Milliseconds(1));
    ++looks;
  });
  test.poller->Run();
  test.poller->LookAgain();
  while (looks < 2) std::this_thread::yield();
}

// Nobody waits an hour for it.
TEST(PollerLookLater, IsForgottenAtTheEnd) {
  const TestPoller test;
  std::atomic<bool> has_asked = false;
  const Poller::Hook looker(*test.poller, [&] {
    test.poller->LookLater(absl::Hours(1));
    has_asked = true;
  });
  test.poller->Run();
  test.poller->LookAgain();
  while (!has_asked) std::this_thread::yield();
}

}  // namespace
}  // namespace clearance::server
