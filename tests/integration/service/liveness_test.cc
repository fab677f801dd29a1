// SPDX-License-Identifier: Apache-2.0
//
// A whole server whose threads are held, by the judges of answers that are checked, and the clock
// of /livez, which the test moves.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <latch>
#include <string>
#include <thread>

#include "tests/integration/service/harness.h"

namespace clearance::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A small message is answered on a polling thread, a large one by all workers, of which the
// harness has two.
constexpr int kHeldPollers = 1;
constexpr int kHeldWorkers = 2;
constexpr std::uint32_t kRowsForWorkers = 3'000;

class Held {
 public:
  explicit Held(int threads) : are_held_(threads) {}

  Checking Judging() {
    server::Judges judges;
    judges.pair = [this](const Check& found) {
      if (!release_.try_wait()) {
        are_held_.count_down();
        release_.wait();
      }
      return found;
    };
    return {.one_in = 1, .judges = judges};
  }
  void Await() const { are_held_.wait(); }
  void Release() { release_.count_down(); }

 private:
  std::latch are_held_;
  std::latch release_{1};
};

std::string DeadOf(TestServer& server) { return server.liveness.FindDead().value_or(""); }

// Puts the questions, and comes back `times` after ten seconds each.
std::string DeadAfter(TestServer& server, int times) {
  std::string dead = DeadOf(server);
  for (int i = 0; i < times; ++i) {
    server.liveness_now += absl::Seconds(10);
    dead = DeadOf(server);
  }
  return dead;
}

bool OwesAnswers(TestServer& server) {
  server.liveness_now += absl::Milliseconds(1);
  server.liveness.FindDead();
  for (std::size_t kind = 0; kind < server::kLoopKinds; ++kind) {
    if (server.metrics.loop_silence(static_cast<server::LoopKind>(kind)).Value() > 0) return true;
  }
  return false;
}

void OpenTwo(TestSession& session) {
  session.Open(0, Sphere(1));
  session.Open(1, Sphere(1));
}

TEST(Liveness, AnIdleServerAndOneAtWorkAnswerEveryTime) {
  TestServer server;
  TestSession session(server);
  OpenTwo(session);
  for (std::uint64_t i = 0; i < 20; ++i) {
    EXPECT_EQ(DeadAfter(server, 1), "") << i;
    while (OwesAnswers(server)) std::this_thread::yield();
    if (i >= 10) session.Ask(DistanceAt(3, i));
  }
}

TEST(Liveness, HeldPollingThread_IsFound_ThenAliveAgain) {
  Held held(kHeldPollers);
  TestServer server({}, held.Judging());
  TestSession session(server);
  OpenTwo(session);
  ASSERT_TRUE(session.Send(DistanceAt(3, 1)));
  held.Await();
  EXPECT_THAT(DeadAfter(server, 4), HasSubstr("the loop 'poll' has not turned for 40s"));
  held.Release();
  v1::SessionResponse answer;
  EXPECT_TRUE(session.Receive(&answer));
  while (OwesAnswers(server)) std::this_thread::yield();
  EXPECT_EQ(DeadOf(server), "");
}

TEST(Liveness, WorkersThatAreAllHeldAreFoundAfterMinutes) {
  Held held(kHeldWorkers);
  TestServer server({}, held.Judging());
  TestSession session(server), waiting(server);
  OpenTwo(session);
  OpenTwo(waiting);
  v1::SessionRequest request = DistanceAt(3, 1);
  request.mutable_distance()->mutable_pairs()->set_count(kRowsForWorkers);
  ASSERT_TRUE(session.Send(request));
  held.Await();
  ASSERT_TRUE(waiting.Send(request));
  const auto silence = [&server] {
    OwesAnswers(server);
    return server.metrics.loop_silence(server::LoopKind::kWork).Value();
  };
  while (silence() == 0) std::this_thread::yield();
  EXPECT_THAT(DeadAfter(server, 29), Not(HasSubstr("'work'")));
  EXPECT_THAT(DeadAfter(server, 1), HasSubstr("the loop 'work' has not turned for 5m"));
  held.Release();
  v1::SessionResponse answer;
  EXPECT_TRUE(session.Receive(&answer));
  EXPECT_TRUE(waiting.Receive(&answer));
  while (OwesAnswers(server)) std::this_thread::yield();
  EXPECT_EQ(DeadOf(server), "");
}

TEST(Liveness, AServerThatWasShutDownIsWatchedNoMore) {
  TestServer server;
  server.grpc->Shutdown(absl::ZeroDuration());
  EXPECT_EQ(DeadAfter(server, 100), "");
}

}  // namespace
}  // namespace clearance::testing
