// SPDX-License-Identifier: Apache-2.0
//
// Connections that are handed over, and one that its taker does not let go of.

#include "server/fence/handover.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <latch>
#include <optional>
#include <utility>
#include <vector>

namespace clearance::server {
namespace {

Descriptor AnyDescriptor() { return Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

bool IsOpen(int number) { return fcntl(number, F_GETFD) != -1; }

TEST(Handover, HandsOverInOrder) {
  std::vector<int> taken;
  std::vector<int> added;
  std::latch all(3);
  Handover handover([&](const Descriptor& connection) {
    taken.push_back(connection.number());
    all.count_down();
  });
  std::vector<Descriptor> connections;
  for (int i = 0; i < 3; ++i) {
    connections.push_back(AnyDescriptor());
    added.push_back(connections.back().number());
  }
  for (Descriptor& connection : connections) handover.Add(std::move(connection));
  all.wait();
  EXPECT_EQ(taken, added);
}

TEST(Handover, TellsWhichConnectionHasCostHowMuch) {
  constexpr absl::Duration kMuch = absl::Milliseconds(20);
  std::atomic<bool> is_spending = true;
  std::latch is_held(1), has_spent(1), release(1);
  Handover handover([&](const Descriptor&) {
    is_held.count_down();
    while (is_spending) {
    }
    has_spent.count_down();
    release.wait();
  });
  EXPECT_TRUE(handover.is_idle());
  Descriptor connection = AnyDescriptor();
  const int number = connection.number();
  handover.Add(std::move(connection));
  is_held.wait();
  EXPECT_FALSE(handover.is_idle());
  EXPECT_EQ(handover.HeldFor(absl::ZeroDuration()), number);
  EXPECT_EQ(handover.HeldFor(absl::InfiniteDuration()), std::nullopt);
  while (handover.HeldFor(kMuch) != number) {
  }
  is_spending = false;
  has_spent.wait();
  release.count_down();
  while (!handover.is_idle()) {
  }
  EXPECT_EQ(handover.HeldFor(absl::ZeroDuration()), std::nullopt);
}

// One that another flood keeps from the processor, or from a lock, is not to blame.
TEST(Handover, DoesNotCountTimeThatItWaits) {
  std::latch is_held(1), release(1);
  Handover handover([&](const Descriptor&) {
    is_held.count_down();
    release.wait();
  });
  // What the thread spent before is not the connection's.
  handover.Add(AnyDescriptor());
  is_held.wait();
  const SteadyTime began = SteadyNow();
  while (SteadyNow() - began < absl::Milliseconds(50)) {
  }
  EXPECT_EQ(handover.HeldFor(absl::Milliseconds(50)), std::nullopt);
  release.count_down();
  while (!handover.is_idle()) {
  }
}

TEST(Handover, ClosesWhatItDoesNotHandOver) {
  std::atomic<int> calls = 0;
  std::latch is_held(1), release(1);
  Handover handover([&](const Descriptor&) {
    ++calls;
    is_held.count_down();
    release.wait();
  });
  handover.Add(AnyDescriptor());
  is_held.wait();
  Descriptor second = AnyDescriptor();
  const int waiting = second.number();
  handover.Add(std::move(second));
  handover.Stop();
  EXPECT_FALSE(IsOpen(waiting));
  Descriptor third = AnyDescriptor();
  const int late = third.number();
  handover.Add(std::move(third));
  EXPECT_FALSE(IsOpen(late));
  release.count_down();
  while (!handover.is_idle()) {
  }
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace clearance::server
