// SPDX-License-Identifier: Apache-2.0
#include "server/convert/rpc_status.h"

#include <gtest/gtest.h>

#include <string>

#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

google::rpc::Status RpcStatusOf(absl::Duration retry_after) {
  google::rpc::Status status;
  FillRpcStatus(
      Refuse(
          absl::StatusCode::kResourceExhausted,
          {.field = "f", .value = "v", .limit = "l", .message = "m", .retry_after = retry_after}),
      &status);
  return status;
}

TEST(RpcStatus, HasTheErrorAlone) {
  const google::rpc::Status status = RpcStatusOf(absl::ZeroDuration());
  EXPECT_EQ(status.code(), 8);
  EXPECT_EQ(status.message(), "m");
  ASSERT_EQ(status.details_size(), 1);
  EXPECT_EQ(status.details(0).type_url(), kErrorTypeUrl);
}

// Oracle: the wire form of the public google/rpc/error_details.proto, by hand: field 1, a Duration
// of 258 s (field 1, two bytes of varint) and 1 ns (field 2).
TEST(RpcStatus, TellsLibrariesWhenToRepeatAsThePublicRetryInfoDoes) {
  const google::rpc::Status status = RpcStatusOf(absl::Seconds(258));
  ASSERT_EQ(status.details_size(), 2);
  EXPECT_EQ(status.details(0).type_url(), kErrorTypeUrl);
  EXPECT_EQ(status.details(1).type_url(), "type.googleapis.com/google.rpc.RetryInfo");
  EXPECT_EQ(status.details(1).value(), std::string("\x0a\x05\x08\x82\x02\x10\x01"));
}

}  // namespace
}  // namespace clearance::server
