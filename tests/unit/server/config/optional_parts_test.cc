// SPDX-License-Identifier: Apache-2.0
//
// What a build without an optional part says about the flags of that part.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "server/config/settings.h"

namespace clearance::server {
namespace {

std::string RefusalWith(const OptionalPart& part, absl::string_view flag, absl::string_view value) {
  ServerConfig config;
  EXPECT_TRUE(SetByName(flag, value, &config).ok()) << flag;
  return std::string(RefuseFlagsOf(part, config).message());
}

TEST(OptionalParts, FenceFlag_NotDefault_Refused) {
  EXPECT_EQ(RefusalWith(kFence, "max_connections", "7"),
            "--max_connections=7: this build has no fence; leave out the flag, or build the server "
            "with -DCLEARANCE_FENCE=ON");
  for (const absl::string_view flag :
       {"max_connections_per_address", "ban_after_cut", "max_streams"}) {
    const absl::string_view value = flag == "ban_after_cut" ? "7s" : "7";
    EXPECT_TRUE(absl::StrContains(RefusalWith(kFence, flag, value), flag)) << flag;
  }
}

TEST(OptionalParts, EtcdFlag_NotDefault_Refused) {
  EXPECT_EQ(RefusalWith(kEtcd, "store", "etcd://a:1"),
            "--store=etcd://a:1: this build has no etcd store; leave out the flag, or build the "
            "server with -DCLEARANCE_ETCD=ON");
  for (const absl::string_view flag : {"etcd_prefix", "etcd_ca", "etcd_certificate", "etcd_key",
                                       "etcd_user", "etcd_password_file"}) {
    EXPECT_TRUE(absl::StrContains(RefusalWith(kEtcd, flag, "other"), flag)) << flag;
  }
  EXPECT_NE(RefusalWith(kEtcd, "store_patience", "7s"), "");
  EXPECT_NE(RefusalWith(kEtcd, "ready_without_store", "false"), "");
}

TEST(OptionalParts, Defaults_Allowed) {
  EXPECT_TRUE(RefuseFlagsOf(kFence, ServerConfig()).ok());
  EXPECT_TRUE(RefuseFlagsOf(kEtcd, ServerConfig()).ok());
}

TEST(OptionalParts, FlagOfOthers_Allowed) {
  EXPECT_EQ(RefusalWith(kFence, "max_streams_per_connection", "7"), "");
  EXPECT_EQ(RefusalWith(kEtcd, "data_dir", "/data"), "");
}

}  // namespace
}  // namespace clearance::server
