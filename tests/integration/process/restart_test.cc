// SPDX-License-Identifier: Apache-2.0
//
// Users of the client library while the real server is drained and killed under them and starts
// again on the same port: no call fails, and every answer is that of an undisturbed server.
#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

#include "tests/integration/process/users.h"

namespace clearance::test {
namespace {

using client::Client;

TEST(Restart, FailsNoCallAndChangesNoAnswer) {
  const std::vector<std::string> expected = ExpectedAnswers();
  RestartedServer server;
  const absl::StatusOr<Client> client = PatientClient(server.address());
  ASSERT_TRUE(client.ok()) << client.status();
  RegisterShapes(*client);

  Users users{.client = *client, .expected = expected, .registers = true};
  UseWhile(&users, [&] {
    for (const int signal : {SIGTERM, SIGKILL, SIGKILL, SIGTERM}) {
      AwaitAnswers(users);
      EXPECT_EQ(server.End(signal), signal == SIGTERM ? 0 : -SIGKILL);
      server.StartAgain();
    }
  });
}

}  // namespace
}  // namespace clearance::test
