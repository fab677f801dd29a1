// SPDX-License-Identifier: Apache-2.0
#include "internal/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace clearance::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ThisMachine, IsWhatIsCalledSo) {
  for (const char* address :
       {"localhost:50051", "LOCALHOST:1", "127.0.0.1:50051", "127.8.9.1:1", "[::1]:50051", "::1",
        "unix:/run/clearance.sock", "unix:///run/clearance.sock", "unix-abstract:x",
        "dns:///localhost:50051", "dns:localhost", "ipv4:127.0.0.1:1,127.0.0.2:1",
        "ipv6:[::1]:50051"}) {
    EXPECT_TRUE(IsThisMachine(address)) << address;
  }
}

TEST(ThisMachine, IsNothingElse) {
  for (const char* address :
       {"", "clearance:50051", "10.0.0.1:50051", "0.0.0.0:50051", "localhost.example.org:1",
        "127.0.0.1.example.org:1", "127.example.org:1", "127.0.0:1", "[::2]:1",
        "[::ffff:1.2.3.4]:1", "ipv4:127.0.0.1:1,10.0.0.1:1", "dns://8.8.8.8/localhost:1",
        "dns:ipv4:127.0.0.1", "xds:///localhost", "1127.0.0.1:1", "127.0.0.256:1",
        "notlocalhost:1"}) {
    EXPECT_FALSE(IsThisMachine(address)) << address;
  }
}

ClientOptions WithToken(const std::string& token) {
  ClientOptions options;
  options.token = token;
  return options;
}

TEST(Token, GoesToAnotherMachineOverTlsOrWhereThatIsAllowed) {
  ClientOptions options = WithToken("secret-token");
  EXPECT_TRUE(CheckToken(options, "localhost:50051").ok());
  const absl::Status status = CheckToken(options, "robot:50051");
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("robot:50051"));
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("secret")));
  options.allow_token_in_plain_text = true;
  EXPECT_TRUE(CheckToken(options, "robot:50051").ok());
  options.allow_token_in_plain_text = false;
  options.tls = TlsOptions{};
  EXPECT_TRUE(CheckToken(options, "robot:50051").ok());
  EXPECT_TRUE(CheckToken({}, "robot:50051").ok());
}

TEST(Token, OfCharactersThatMetadataCannotCarryIsRefusedUnseen) {
  for (const char* token : {"secret\n", "secret token", "secret\xc3\xa9"}) {
    const absl::Status status = CheckToken(WithToken(token), "localhost:1");
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("secret")));
  }
}

}  // namespace
}  // namespace clearance::client
