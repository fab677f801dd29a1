// SPDX-License-Identifier: Apache-2.0

#include "server/observe/periodic_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>

namespace clearance::server {
namespace {

TEST(PeriodicThread, Pauses_End) {
  std::latch thrice(3);
  const PeriodicThread thread(std::chrono::milliseconds(1), [&, left = 3](bool is_asked) mutable {
    EXPECT_FALSE(is_asked);
    if (left-- > 0) thrice.count_down();
  });
  thrice.wait();
}

TEST(PeriodicThread, Ask_EndsThePause) {
  std::atomic<int> asked = 0;
  PeriodicThread thread(std::chrono::hours(1), [&](bool is_asked) {
    EXPECT_TRUE(is_asked);
    ++asked;
    asked.notify_all();
  });
  for (int times = 1; times <= 3; ++times) {
    thread.Ask();
    for (int seen = asked; seen < times; seen = asked) asked.wait(seen);
  }
}

TEST(PeriodicThread, End_DoesNotWaitForThePause) {
  const PeriodicThread thread(std::chrono::hours(1), [](bool /*is_asked*/) { FAIL(); });
}

}  // namespace
}  // namespace clearance::server
