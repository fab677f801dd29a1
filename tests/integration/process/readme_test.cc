// SPDX-License-Identifier: Apache-2.0
//
// The examples of the command line's page, run as they stand: commands follow "$ ", their further
// lines "> ", and what they print follows them. There `…` stands for anything within a line, and
// alone on one for any number of lines.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/process/server_process.h"

namespace clearance::test {
namespace {

struct Example {
  std::string command;
  std::string pattern;  // of all that it prints
};

std::string PatternOf(const std::string& line) {
  if (line == "…") return "(.*\n)*";
  static const std::regex kSpecial(R"([.^$|()\[\]{}*+?\\])");
  std::string pattern = std::regex_replace(line, kSpecial, R"(\$&)");
  for (std::size_t at = 0; (at = pattern.find("…", at)) != std::string::npos; at += 2) {
    pattern.replace(at, std::string("…").size(), ".*");
  }
  return pattern + "\n";
}

std::vector<Example> ExamplesOf(const std::string& path) {
  std::ifstream page(path);
  std::vector<Example> examples;
  bool is_inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("```", 0) == 0) {
      is_inside = line == "```console";
    } else if (is_inside && line.rfind("$ ", 0) == 0) {
      examples.push_back({line.substr(2), ""});
    } else if (is_inside && line.rfind("> ", 0) == 0) {
      examples.back().command += "\n" + line.substr(2);
    } else if (is_inside) {
      examples.back().pattern += PatternOf(line);
    }
  }
  return examples;
}

TEST(CliReadme, ShowsWhatItsCommandsPrint) {
  const ServerProcess server;
  const TemporaryDirectory directory;
  const std::string cli = CLEARANCE_CLI;
  const std::string before =
      "cd " + directory.File("") + "; export PATH=" + cli.substr(0, cli.rfind('/')) +
      ":$PATH CLEARANCE_ADDR=" + server.grpc_address() +
      " CLEARANCE_HTTP_ADDR=127.0.0.1:" + std::to_string(server.http_port()) + "\n";
  const std::vector<Example> examples = ExamplesOf(CLEARANCE_CLI_README);
  EXPECT_GT(examples.size(), 20u);
  for (const Example& example : examples) {
    const Completed run = RunProgram({"bash", "-c", before + example.command});
    EXPECT_TRUE(std::regex_match(run.output, std::regex(example.pattern)))
        << "$ " << example.command << "\n"
        << run.output;
  }
}

}  // namespace
}  // namespace clearance::test
