// SPDX-License-Identifier: Apache-2.0
//
// Loops that turn, or do not, on a clock that the test moves.

#include "server/observe/liveness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace clearance::server {
namespace {

using testing::HasSubstr;

// A loop that turns when it is asked, as long as it lives.
struct FakeLoop {
  std::uint64_t turns = 0;
  int asked = 0;
  bool is_stuck = false;

  WatchedLoop Watched(LoopKind kind) {
    return {.kind = kind,
            .turns = [this] { return turns; },
            .ask =
                [this] {
                  ++asked;
                  if (!is_stuck) ++turns;
                }};
  }
};

class LivenessTest : public testing::Test {
 protected:
  bool IsAlive() { return !liveness_.FindDead().has_value(); }

  double SilenceOf(LoopKind kind) { return metrics_.loop_silence(kind).Value(); }

  Metrics metrics_{"1"};
  SteadyTime now_{absl::Hours(1)};
  Liveness liveness_{absl::Seconds(30), metrics_, [this] { return now_; }};
  FakeLoop loop_;
};

TEST_F(LivenessTest, ALoopWithoutWorkIsAliveHoweverSeldomItIsAsked) {
  liveness_.Watch({loop_.Watched(LoopKind::kPoll)});
  for (const auto pause :
       {absl::Seconds(0), absl::Seconds(10), absl::Seconds(31), absl::Seconds(100'000)}) {
    now_ += pause;
    EXPECT_TRUE(IsAlive()) << pause;
  }
  EXPECT_EQ(loop_.asked, 4);
}

TEST_F(LivenessTest, ALoopThatStopsTurningIsDeadOnceItsTimeIsUp) {
  liveness_.Watch({loop_.Watched(LoopKind::kAccept)});
  EXPECT_TRUE(IsAlive());
  loop_.is_stuck = true;
  EXPECT_TRUE(IsAlive());
  for (int i = 0; i < 3; ++i) {
    now_ += absl::Seconds(10);
    EXPECT_TRUE(IsAlive());
  }
  now_ += absl::Milliseconds(1500);
  EXPECT_EQ(liveness_.FindDead(), "the loop 'accept' has not turned for 31s");
  EXPECT_EQ(loop_.asked, 2) << "one question is enough";
  EXPECT_EQ(SilenceOf(LoopKind::kAccept), 31.5);
  EXPECT_EQ(SilenceOf(LoopKind::kHandover), 0);
}

TEST_F(LivenessTest, ALoopThatTurnsAgainIsAliveAgain) {
  loop_.is_stuck = true;
  liveness_.Watch({loop_.Watched(LoopKind::kPoll)});
  EXPECT_TRUE(IsAlive());
  for (int i = 0; i < 4; ++i, now_ += absl::Seconds(20)) liveness_.FindDead();
  EXPECT_FALSE(IsAlive());
  ++loop_.turns;
  EXPECT_TRUE(IsAlive());
  EXPECT_EQ(SilenceOf(LoopKind::kPoll), 0);
}

TEST_F(LivenessTest, WorkersHaveTenTimesThePatience) {
  loop_.is_stuck = true;
  liveness_.Watch({loop_.Watched(LoopKind::kWork)});
  for (int i = 0; i < 31; ++i, now_ += absl::Seconds(10)) EXPECT_TRUE(IsAlive()) << i;
  EXPECT_FALSE(IsAlive());
}

// Nobody looked: it may have been the whole process that stood still.
TEST_F(LivenessTest, AfterALongPauseTheQuestionIsPutOnceMoreAndOnlyOnce) {
  loop_.is_stuck = true;
  liveness_.Watch({loop_.Watched(LoopKind::kPoll)});
  EXPECT_TRUE(IsAlive());
  now_ += absl::Minutes(10);
  EXPECT_TRUE(IsAlive());
  EXPECT_EQ(loop_.asked, 2);
  now_ += absl::Milliseconds(1);
  EXPECT_TRUE(IsAlive());
  now_ += absl::Minutes(10);
  EXPECT_FALSE(IsAlive());
}

TEST_F(LivenessTest, OneOfSeveralIsFound) {
  FakeLoop other;
  other.is_stuck = true;
  liveness_.Watch({loop_.Watched(LoopKind::kPoll), other.Watched(LoopKind::kPoll),
                   loop_.Watched(LoopKind::kAccept)});
  for (int i = 0; i < 4; ++i, now_ += absl::Seconds(20)) liveness_.FindDead();
  EXPECT_THAT(liveness_.FindDead().value_or(""), HasSubstr("'poll'"));
  EXPECT_EQ(SilenceOf(LoopKind::kPoll), 80);
}

TEST_F(LivenessTest, LoopsThatAreWatchedNoMoreAreLeftAlone) {
  loop_.is_stuck = true;
  liveness_.Watch({loop_.Watched(LoopKind::kPoll)});
  for (int i = 0; i < 4; ++i, now_ += absl::Seconds(20)) liveness_.FindDead();
  liveness_.Watch({});
  EXPECT_TRUE(IsAlive());
  EXPECT_EQ(loop_.asked, 1);
}

TEST_F(LivenessTest, WithoutPatienceNothingIsEverDead) {
  Liveness forever(absl::InfiniteDuration(), metrics_, [this] { return now_; });
  loop_.is_stuck = true;
  forever.Watch({loop_.Watched(LoopKind::kPoll)});
  for (int i = 0; i < 5; ++i, now_ += absl::Minutes(60))
    EXPECT_EQ(forever.FindDead(), std::nullopt);
}

}  // namespace
}  // namespace clearance::server
