// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/fence/address_bans.h"

namespace clearance::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kPeer[] = "ipv4:192.0.2.1:5000";
constexpr char kAnother[] = "ipv4:192.0.2.1:5001";
const SteadyTime kNow = SteadyTime(absl::Hours(1));

TEST(RefusedCalls, AConnectionThatKeepsToTheRateIsNoOffender) {
  RefusedCalls calls;
  for (int second = 0; second < 60; ++second) {
    for (int i = 0; i < RefusedCalls::kRate; ++i) calls.Count(kPeer, kNow + absl::Seconds(second));
  }
  EXPECT_THAT(calls.TakeOffenders(), IsEmpty());
}

TEST(RefusedCalls, OneThatDoesNotIsToldOnce) {
  RefusedCalls calls;
  for (int i = 0; i < RefusedCalls::kMostAtOnce; ++i) calls.Count(kPeer, kNow);
  EXPECT_THAT(calls.TakeOffenders(), IsEmpty());
  for (int i = 0; i < RefusedCalls::kMostAtOnce; ++i) calls.Count(kAnother, kNow);
  calls.Count(kPeer, kNow);
  EXPECT_THAT(calls.TakeOffenders(), ElementsAre(kPeer));
  EXPECT_THAT(calls.TakeOffenders(), IsEmpty());
}

// Whoever comes by ever new connections takes no memory by it.
TEST(RefusedCalls, RemembersSoManyConnections) {
  RefusedCalls calls;
  for (int i = 0; i < 100'000; ++i) {
    calls.Count("ipv4:10.0." + std::to_string(i / 65'536) + ".1:" + std::to_string(i % 65'536),
                kNow);
  }
  EXPECT_LE(calls.size(), RefusedCalls::kMostPeers);
}

}  // namespace
}  // namespace clearance::server
