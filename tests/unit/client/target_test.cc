// SPDX-License-Identifier: Apache-2.0
#include "internal/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/support/skip.h"

namespace clearance::client {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

ClientOptions OverTls(const std::string& server_name) {
  ClientOptions options;
  options.tls = TlsOptions{.server_name = server_name};
  return options;
}

Target TargetOf(const std::string& address, const ClientOptions& options = {}) {
  const absl::StatusOr<Target> target = ToTarget(address, options);
  EXPECT_TRUE(target.ok()) << address << ": " << target.status();
  return target.value_or(Target{});
}

TEST(Target, OfOneServerOrOfASchemeIsTheAddress) {
  for (const char* address : {"localhost:50051", "nowhere.invalid:1", "[::1]:1", "dns:///name:1",
                              "ipv4:1.2.3.4:1,5.6.7.8:2", "unix:/a,b", "xds:///service"}) {
    const Target target = TargetOf(address);
    EXPECT_EQ(target.address, address);
    EXPECT_EQ(target.authority, "");
  }
}

// What one server has not another may have.
TEST(Target, OfANameOrOfSeveralNumbersMayBeSeveralServers) {
  for (const char* address : {"dns:///name:1", "dns:name:1", "ipv4:1.2.3.4:1,5.6.7.8:2",
                              "ipv6:%5B::1%5D:1,%5B::2%5D:1", "xds:///service"})
    EXPECT_TRUE(TargetOf(address).may_be_several) << address;
  for (const char* address :
       {"localhost:50051", "[::1]:1", "ipv4:1.2.3.4:1", "ipv6:%5B::1%5D:1", "unix:/a,b"})
    EXPECT_FALSE(TargetOf(address).may_be_several) << address;
}

TEST(Target, OfAListIsInNumbers) {
  const Target target = TargetOf("127.0.0.1:50051, 127.0.0.2:50052,127.0.0.1:50051");
  EXPECT_EQ(target.address, "ipv4:127.0.0.1:50051,127.0.0.2:50052");
  EXPECT_EQ(target.authority, "127.0.0.1:50051");
  EXPECT_TRUE(target.may_be_several);
  EXPECT_EQ(TargetOf("127.0.0.1:1,[::2]:3").address, "ipv6:%5B::ffff:127.0.0.1%5D:1,%5B::2%5D:3");
}

TEST(Target, OfAListMayHaveThisMachinesName) {
  if (!test::IsLocalhostKnown()) GTEST_SKIP() << test::kNoLocalhost;
  // Whatever families this machine has for it.
  EXPECT_THAT(TargetOf("localhost:1,127.0.0.1:2").address,
              AnyOf("ipv4:127.0.0.1:1,127.0.0.1:2", HasSubstr("%5B::ffff:127.0.0.1%5D:2")));
}

TEST(Target, LeavesOutWhatMeansNothing) {
  EXPECT_EQ(TargetOf("nowhere.invalid:1,127.0.0.1:2").address, "ipv4:127.0.0.1:2");
  const absl::StatusOr<Target> none = ToTarget("nowhere.invalid:1,neither.invalid:2", {});
  EXPECT_EQ(none.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(none.status().message()), HasSubstr("neither.invalid:2"));
}

TEST(Target, MissingPort_Is50051) {
  for (const auto& [address, expected] :
       {std::pair("localhost", "localhost:50051"),
        {"[::1]", "[::1]:50051"},
        {"fe80::1", "[fe80::1]:50051"},
        {"dns:name", "dns:name:50051"},
        {"dns:///name", "dns:///name:50051"},
        {"dns://8.8.8.8/name", "dns://8.8.8.8/name:50051"},
        {"ipv4:1.2.3.4,5.6.7.8:2", "ipv4:1.2.3.4:50051,5.6.7.8:2"},
        {"ipv6:%5B::1%5D", "ipv6:%5B::1%5D:50051"},
        {"127.0.0.1,127.0.0.2:1", "ipv4:127.0.0.1:50051,127.0.0.2:1"}})
    EXPECT_EQ(TargetOf(address).address, expected);
}

TEST(Target, OfAListNeedsHosts) {
  for (const char* address : {"", "host:", "http://host", "127.0.0.1:1,", ",127.0.0.1:1",
                              "127.0.0.1:1,:2", "127.0.0.1:1,a:0", "127.0.0.1:1,a:65536",
                              "127.0.0.1:1,a:http", "127.0.0.1:1,[::1:2", "127.0.0.1:1,[]:2"}) {
    EXPECT_EQ(ToTarget(address, {}).status().code(), absl::StatusCode::kInvalidArgument) << address;
  }
}

TEST(Target, RefusalNamesTheAddressAsGiven) {
  for (const char* given : {"http://127.0.0.1:50051", "http://host", "[::1"}) {
    EXPECT_THAT(std::string(ToTarget(given, {}).status().message()),
                HasSubstr(absl::StrCat("invalid address '", given, "': must be a host")));
  }
}

TEST(Target, OfAListOverTlsHasOneName) {
  if (test::IsLocalhostKnown()) {
    EXPECT_EQ(TargetOf("localhost:1,localhost:2", OverTls("")).authority, "localhost");
  }
  EXPECT_EQ(TargetOf("127.0.0.1:1,127.0.0.2:2", OverTls("fleet")).authority, "fleet");
  const absl::StatusOr<Target> several = ToTarget("127.0.0.1:1,127.0.0.2:2", OverTls(""));
  EXPECT_EQ(several.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(several.status().message()), HasSubstr("server_name"));
}

}  // namespace
}  // namespace clearance::client
