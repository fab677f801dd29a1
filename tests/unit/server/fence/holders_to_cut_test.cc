// SPDX-License-Identifier: Apache-2.0
//
// Which connections must go where all together hold too many streams.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "server/fence/stream_fence.h"

namespace clearance::server {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// An address and the streams of one of its connections.
using Held = std::pair<std::string, std::uint64_t>;

std::vector<Held> CutOf(const std::vector<Held>& held, std::uint64_t most) {
  std::vector<WatchedConnection> connections;
  for (const Held& one : held) connections.push_back({.address_key = one.first});
  std::vector<StreamHolder> holders;
  for (std::size_t i = 0; i < held.size(); ++i)
    holders.push_back({&connections[i], held[i].second});
  std::vector<Held> cut;
  for (const StreamHolder& holder : HoldersToCut(holders, most)) {
    cut.emplace_back(holder.connection->address_key, holder.streams);
  }
  return cut;
}

TEST(HoldersToCut, LeavesAsManyAsThereMayBe) {
  EXPECT_THAT(CutOf({}, 0), IsEmpty());
  EXPECT_THAT(CutOf({{"a", 60}, {"b", 40}}, 100), IsEmpty());
  EXPECT_THAT(CutOf({{"a", 60}, {"b", 41}}, 100), ElementsAre(Held("a", 60)));
  EXPECT_THAT(CutOf({{"a", 60}}, 0), ElementsAre(Held("a", 60)));
}

TEST(HoldersToCut, TakesTheLargestOfTheAddressThatHoldsMost) {
  EXPECT_THAT(CutOf({{"a", 30}, {"b", 50}, {"a", 40}}, 100), ElementsAre(Held("a", 40)));
}

TEST(HoldersToCut, GoesOnWithWhoeverHoldsMostThen) {
  EXPECT_THAT(CutOf({{"a", 30}, {"b", 50}, {"a", 40}}, 60),
              ElementsAre(Held("a", 40), Held("b", 50)));
}

}  // namespace
}  // namespace clearance::server
