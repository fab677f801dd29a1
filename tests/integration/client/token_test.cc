// SPDX-License-Identifier: Apache-2.0
//
// The client's token against a server that asks who calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "clearance/session.h"
#include "tests/integration/client/real_server.h"
#include "tests/support/shell.h"

namespace clearance::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kToken = "clearance_" + std::string(43, 't');

class Token : public testing::Test {
 protected:
  absl::StatusOr<Client> ConnectWith(const std::string& token) const {
    ClientOptions options;
    options.token = token;
    return Client::Connect(server_.address(), options);
  }

  // The command line with `environment` before it.
  std::string Run(const std::string& environment, const std::string& arguments) {
    const std::string command = "CLEARANCE_ADDR=" + server_.address() + " " + environment +
                                " " CLEARANCE_CLI " " + arguments + " 2>&1";
    test::ShellResult result = test::RunShell(command);
    exit_code_ = result.exit_code;
    return std::move(result.output);
  }

  int exit_code_ = -1;

 private:
  server::Authenticator authenticator_{
      *server::TokenTable::Parse("owner " + server::FormatTokenHash(*server::HashOfToken(kToken)) +
                                 "\n"),
      *server::Policy::Parse(R"({"principals": {"owner": {"role": "admin"}}})")};

 protected:
  const RealServer server_{{}, &authenticator_};
};

TEST_F(Token, LetsCallsSessionsAndHealthThrough) {
  const absl::StatusOr<Client> client = ConnectWith(kToken);
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_TRUE(client->Register("box", kUnitBox).ok());
  const auto session = client->OpenSession();
  EXPECT_TRUE(session->Open(0, ByName{"box"}).ok());
  EXPECT_TRUE(session->Open(1, kUnitBox).ok());
  EXPECT_TRUE(session->Ask(BoxesApart(1, 2)).ok());
  EXPECT_EQ(*client->CheckHealth(), Health::kServing);
}

TEST_F(Token, MissingOrWrongIsUnauthenticated) {
  for (const std::string& token : {std::string(), "clearance_" + std::string(43, 'x')}) {
    const absl::StatusOr<Client> client = ConnectWith(token);
    EXPECT_EQ(client.status().code(), absl::StatusCode::kUnauthenticated);
    const auto detail = ErrorDetail(client.status());
    ASSERT_TRUE(detail.has_value());
    EXPECT_EQ(detail->field, "authorization");
  }
}

TEST_F(Token, IsNotNeededToAskForHealth) {
  EXPECT_EQ(*Client::HealthOf(server_.address()), Health::kServing);
  EXPECT_THAT(Run("", "health"), HasSubstr("SERVING"));
  EXPECT_EQ(exit_code_, 0);
}

TEST_F(Token, OfTheCommandLineComesFromAFileOrTheEnvironment) {
  std::string path = std::filesystem::temp_directory_path() / "clearance-token-XXXXXX";
  close(mkstemp(path.data()));
  std::ofstream(path) << kToken << "\n";
  EXPECT_THAT(Run("", "info"), HasSubstr("UNAUTHENTICATED"));
  EXPECT_EQ(exit_code_, 2);
  Run("CLEARANCE_TOKEN=" + kToken, "info");
  EXPECT_EQ(exit_code_, 0);
  Run("", "info --token-file " + path);
  EXPECT_EQ(exit_code_, 0);
  const std::string refused = Run("CLEARANCE_TOKEN=" + kToken, "--addr clearance.invalid:1 info");
  EXPECT_EQ(exit_code_, 2);
  EXPECT_THAT(refused, HasSubstr("FAILED_PRECONDITION"));
  EXPECT_THAT(refused, Not(HasSubstr(kToken)));
  std::ofstream(path, std::ios::trunc) << "\n";
  EXPECT_THAT(Run("", "info --token-file " + path), HasSubstr("begins with no token"));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace clearance::client
