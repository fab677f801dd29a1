// SPDX-License-Identifier: Apache-2.0

#include "server/guard/caller.h"

#include <gtest/gtest.h>

namespace clearance::server {
namespace {

TEST(AddressGroup, IsTheMachineOfIpv4AndTheNetworkOfIpv6) {
  EXPECT_EQ(AddressGroupOf("ipv4:192.0.2.1:5000"), AddressGroupOf("ipv4:192.0.2.1:5001"));
  EXPECT_NE(AddressGroupOf("ipv4:192.0.2.1:5000"), AddressGroupOf("ipv4:192.0.2.2:5000"));
  const std::string network = AddressGroupOf("ipv6:%5B2001:db8:0:7::1%5D:5000");
  EXPECT_EQ(AddressGroupOf("ipv6:[2001:db8:0:7:ffff::9]:1"), network);
  EXPECT_EQ(AddressGroupOf("ipv6:%5B2001:db8:0:7::1%25eth0%5D:5000"), network);
  EXPECT_NE(AddressGroupOf("ipv6:%5B2001:db8:0:8::1%5D:5000"), network);
  EXPECT_NE(AddressGroupOf("ipv6:%5B::ffff:192.0.2.1%5D:1"),
            AddressGroupOf("ipv6:%5B::ffff:192.0.2.2%5D:1"));
}

TEST(AddressGroup, OfAnythingElseIsTheWhole) {
  for (const char* const peer : {"", "unix:", "unix:/run/clearance.sock", "ipv6:%5Bx%5D:1"}) {
    EXPECT_EQ(AddressGroupOf(peer), peer);
  }
}

}  // namespace
}  // namespace clearance::server
