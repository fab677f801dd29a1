// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "server/fence/stream_fence.h"

namespace clearance::server {
namespace {

struct FakeThread {
  std::uint64_t turns = 0;
  int questions = 0;
  absl::Duration held = absl::ZeroDuration();
};

class ReaderWatchTest : public ::testing::Test {
 protected:
  std::vector<ReadingThread> Readers() {
    std::vector<ReadingThread> readers;
    for (FakeThread& thread : threads_) {
      readers.push_back({.loop = {.kind = LoopKind::kPoll,
                                  .turns = [&thread] { return thread.turns; },
                                  .ask = [&thread] { ++thread.questions; }},
                         .held_for = [&thread] { return thread.held; }});
    }
    return readers;
  }

  std::array<FakeThread, 2> threads_;
};

TEST_F(ReaderWatchTest, Round_EndsWhenAllHaveTurned) {
  ReaderWatch watch(Readers());
  EXPECT_EQ(watch.Rounds(), 0);
  ++threads_[0].turns;
  EXPECT_EQ(watch.Rounds(), 0);
  ++threads_[1].turns;
  EXPECT_EQ(watch.Rounds(), 1);
  EXPECT_EQ(watch.Rounds(), 1);
}

TEST_F(ReaderWatchTest, OnlyThoseThatHaveNotTurned_AreAsked) {
  ReaderWatch watch(Readers());
  ++threads_[0].turns;
  watch.Rounds();
  EXPECT_EQ(threads_[0].questions, 0);
  EXPECT_EQ(threads_[1].questions, 1);
}

TEST_F(ReaderWatchTest, LongestHold_IsOfAll) {
  const ReaderWatch watch(Readers());
  threads_[1].held = absl::Milliseconds(7);
  EXPECT_EQ(watch.LongestHold(), absl::Milliseconds(7));
}

}  // namespace
}  // namespace clearance::server
