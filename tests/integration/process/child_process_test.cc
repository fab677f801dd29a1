// SPDX-License-Identifier: Apache-2.0
//
// How tests start programs: none that does not start may pass for one that ended well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <stdexcept>

#include "tests/integration/process/server_process.h"

namespace clearance::test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(ChildProcess, MissingProgram_Throws) {
  EXPECT_THAT(
      [] {
        ChildProcess({"clearance-no-such-program", "--help"});
      },
      ThrowsMessage<std::runtime_error>(
          HasSubstr("cannot start clearance-no-such-program: No such file")));
}

TEST(ChildProcess, RunProgram_MissingProgram_Throws) {
  EXPECT_THROW(RunProgram({"clearance-no-such-program"}), std::runtime_error);
}

TEST(ChildProcess, FileThatIsNoProgram_Throws) {
  const TemporaryDirectory directory;
  std::ofstream(directory.File("text")) << "text";
  EXPECT_THAT([&] { ChildProcess({directory.File("text")}); },
              ThrowsMessage<std::runtime_error>(HasSubstr("Permission denied")));
}

TEST(ChildProcess, RunProgram_Fails_TellsStatusAndOutput) {
  const Completed failed = RunProgram({"sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(failed.exit_code, 3);
  EXPECT_EQ(failed.output, "out\nerr\n");
  EXPECT_EQ(RunProgram({"sh", "-c", "clearance-no-such-program"}).exit_code, 127);
}

TEST(ChildProcess, HasEnded_TellsWhetherItRuns) {
  ChildProcess process({"sh", "-c", "echo ready; exec sleep infinity"});
  EXPECT_TRUE(process.WaitForLine("ready"));
  EXPECT_FALSE(process.HasEnded());
  process.Signal(SIGKILL);
  EXPECT_EQ(process.WaitForExit(), -SIGKILL);
  EXPECT_TRUE(process.HasEnded());
}

}  // namespace
}  // namespace clearance::test
