// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shell.h"

#include <gtest/gtest.h>

#include <csignal>

namespace clearance::test {
namespace {

TEST(RunShell, GivesOutputAndExitCode) {
  const ShellResult result = RunShell("echo written; echo unread >&2; exit 3");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.output, "written\n");
}

TEST(RunShell, TellsAProgramThatASignalEndedFromOneThatEndedWell) {
  EXPECT_EQ(RunShell("true").exit_code, 0);
  EXPECT_EQ(RunShell("kill -SEGV $$").exit_code, 128 + SIGSEGV);
  EXPECT_EQ(RunShell("sh -c 'kill -KILL $$'").exit_code, 128 + SIGKILL);
}

TEST(RunShell, TellsThatAProgramIsMissing) {
  EXPECT_EQ(RunShell("no-such-program-anywhere 2>&1").exit_code, 127);
}

}  // namespace
}  // namespace clearance::test
