// SPDX-License-Identifier: Apache-2.0
#include "server/convert/wire_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "google/rpc/error_details.pb.h"
#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

google::rpc::Status RpcStatusOf(absl::Duration retry_after) {
  google::rpc::Status status;
  FillRpcStatus(Refuse(absl::StatusCode::kResourceExhausted, {.reason = Reason::kServerFull,
                                                              .field = "f",
                                                              .value = "v",
                                                              .limit = "l",
                                                              .message = "m",
                                                              .retry_after = retry_after}),
                &status);
  return status;
}

TEST(RpcStatus, HasTheErrorAndItsInfo) {
  const google::rpc::Status status = RpcStatusOf(absl::ZeroDuration());
  EXPECT_EQ(status.code(), 8);
  EXPECT_EQ(status.message(), "m");
  ASSERT_EQ(status.details_size(), 2);
  EXPECT_EQ(status.details(0).type_url(), kErrorTypeUrl);
  EXPECT_EQ(status.details(1).type_url(), "type.googleapis.com/google.rpc.ErrorInfo");
}

// Oracle: the wire form of the public google/rpc/error_details.proto, by hand: fields 1 and 2, then
// an entry of field 3 for each part of the refusal, key and value.
TEST(RpcStatus, TellsLibrariesTheReasonAsThePublicErrorInfoDoes) {
  const std::string info = RpcStatusOf(absl::ZeroDuration()).details(1).value();
  EXPECT_TRUE(
      info.starts_with("\x0a\x0bSERVER_FULL\x12\x09"
                       "clearance\x1a"));
  for (const char* const entry :
       {"\x1a\x0a\x0a\x05"
        "field\x12\x01"
        "f",
        "\x1a\x0a\x0a\x05value\x12\x01v", "\x1a\x0a\x0a\x05limit\x12\x01l"}) {
    EXPECT_THAT(info, testing::HasSubstr(entry));
  }
  EXPECT_EQ(info.size(), 2u + 11 + 2 + 9 + 3 * 12);
}

TEST(RpcStatus, ShortensWhatTheInfoRepeats) {
  google::rpc::Status status;
  FillRpcStatus(Refuse(absl::StatusCode::kPermissionDenied, {.reason = Reason::kNameNotAllowed,
                                                             .field = "name",
                                                             .value = "",
                                                             .limit = std::string(1000, 'l'),
                                                             .message = ""}),
                &status);
  google::rpc::ErrorInfo info;
  ASSERT_TRUE(status.details(1).UnpackTo(&info));
  EXPECT_EQ(info.metadata().at("limit"), std::string(64, 'l'));
  EXPECT_FALSE(info.metadata().contains("value"));
}

// Oracle: the wire form of the public google/rpc/error_details.proto, by hand: field 1, a Duration
// of 258 s (field 1, two bytes of varint) and 1 ns (field 2).
TEST(RpcStatus, TellsLibrariesWhenToRepeatAsThePublicRetryInfoDoes) {
  const google::rpc::Status status = RpcStatusOf(absl::Seconds(258));
  ASSERT_EQ(status.details_size(), 3);
  EXPECT_EQ(status.details(0).type_url(), kErrorTypeUrl);
  EXPECT_EQ(status.details(2).type_url(), "type.googleapis.com/google.rpc.RetryInfo");
  EXPECT_EQ(status.details(2).value(), std::string("\x0a\x05\x08\x82\x02\x10\x01"));
}

}  // namespace
}  // namespace clearance::server
