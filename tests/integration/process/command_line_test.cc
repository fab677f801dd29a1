// SPDX-License-Identifier: Apache-2.0
//
// Output and exit status of the program, for every way to start it without serving.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/integration/process/server_process.h"
#include "tests/support/raw_http.h"

namespace clearance::test {
namespace {

using testing::HasSubstr;

TEST(Program, ExitsWithTwoNamingFlagValueAndLimitOfAWrongSetting) {
  const Completed run = RunServerProgram({"--max_batch_rows=0"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.output,
            "clearance-server: Illegal value '0' specified for flag 'max_batch_rows'; must be a "
            "whole number from 1 to 4294967295\n");
}

TEST(Program, ExitsWithTwoNamingFileAndLineOfAWrongSetting) {
  const TemporaryDirectory directory;
  const std::string path = directory.File("server.conf");
  std::ofstream(path) << "# ours\nmax_sessions = 7\nmax_batchrows = 5\n";
  const Completed run = RunServerProgram({"--config_file=" + path});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.output, "clearance-server: " + path +
                            ":3: Unknown flag 'max_batchrows' (value '5'); --helpfull lists all\n");
}

TEST(Program, ShowsHelpAndVersion) {
  const Completed help = RunServerProgram({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.output, HasSubstr("--listen=127.0.0.1:50051"));
  const Completed all = RunServerProgram({"--helpfull"});
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_THAT(all.output, HasSubstr("--max_batch_rows=100000"));
  const Completed version = RunServerProgram({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.output, "clearance-server " CLEARANCE_VERSION "\n");
}

TEST(Program, ExitsWithOneNamingThePortThatIsTaken) {
  ServerProcess server;
  const std::string http = "127.0.0.1:" + std::to_string(server.http_port());
  const Completed no_http = RunServerProgram({"--listen=127.0.0.1:0", "--http_listen=" + http});
  EXPECT_EQ(no_http.exit_code, 1);
  EXPECT_THAT(no_http.output, HasSubstr(http));
  const Completed no_grpc =
      RunServerProgram({"--listen=" + server.grpc_address(), "--http_listen=127.0.0.1:0"});
  EXPECT_EQ(no_grpc.exit_code, 1);
  EXPECT_THAT(no_grpc.output, HasSubstr(server.grpc_address()));
}

TEST(Program, ExitsWithOneIfThePortFileCannotBeWritten) {
  const Completed run = RunServerProgram({"--listen=127.0.0.1:0", "--http_listen=127.0.0.1:0",
                                          "--port_file=/no/such/directory/ports"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.output, HasSubstr("/no/such/directory/ports"));
}

TEST(Program, TakesAwayThePortFileOfAnEarlierRunBeforeItIsReady) {
  const TemporaryDirectory directory;
  const std::string path = directory.File("ports.json");
  std::ofstream(path) << "of an earlier run";
  const Completed run = RunServerProgram(
      {"--listen=127.0.0.1:0", "--http_listen=no.such.host.invalid:0", "--port_file=" + path});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Program, SaysEverySecondThatItWaitsForTheSharedStore) {
  const std::string silent = "127.0.0.1:" + std::to_string(FindFreePort());
  ChildProcess server({CLEARANCE_SERVER_PROGRAM, "--listen=127.0.0.1:0",
                       "--http_listen=127.0.0.1:0", "--store=etcd://" + silent});
  ASSERT_TRUE(server.WaitForLine("waiting for the shared store")) << server.output();
  ASSERT_TRUE(server.WaitForLine("seconds=2 reason=")) << server.output();
  EXPECT_THAT(server.output(), HasSubstr("endpoints=" + silent));
  EXPECT_THAT(server.output(), HasSubstr("failed to connect"));
  server.Signal(SIGTERM);
  EXPECT_EQ(server.WaitForExit(), 0) << server.output();
  EXPECT_THAT(server.output(), HasSubstr("ended before it served"));
}

TEST(HealthCheck, TellsAServerThatServesFromNoneAtAll) {
  ServerProcess server;
  const Completed serving = RunServerProgram({"--health_check=" + server.grpc_address()});
  EXPECT_EQ(serving.exit_code, 0);
  EXPECT_EQ(serving.output, "SERVING\n");
  const Completed bare = RunServerProgram({"--health_check", "--listen=" + server.grpc_address()});
  EXPECT_EQ(bare.exit_code, 0);
  const std::string nobody = "127.0.0.1:" + std::to_string(FindFreePort());
  const Completed none = RunServerProgram({"--health_check=" + nobody});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.output, HasSubstr(nobody));
}

}  // namespace
}  // namespace clearance::test
