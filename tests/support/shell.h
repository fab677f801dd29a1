// SPDX-License-Identifier: Apache-2.0
//
// Programs that a test has a shell run.

#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace clearance::test {

struct ShellResult {
  int exit_code = -1;
  std::string output;  // what the command wrote to stdout
};

// The exit code that shells give for a `status` of waitpid or pclose: 128 + the number of the
// signal for a program that was ended by one.
inline int ExitCodeOf(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

inline ShellResult RunShell(const std::string& command) {
  ShellResult result;
  FILE* const pipe = popen(command.c_str(), "r");
  EXPECT_NE(pipe, nullptr) << command;
  if (pipe == nullptr) return result;
  char buffer[4096];
  for (std::size_t n; (n = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
    result.output.append(buffer, n);
  }
  result.exit_code = ExitCodeOf(pclose(pipe));
  return result;
}

}  // namespace clearance::test
