// SPDX-License-Identifier: Apache-2.0
//
// The command line, run by a shell against the real server in this process.

#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tests/integration/client/real_server.h"
#include "tests/support/shell.h"

namespace clearance::client {

using Json = nlohmann::ordered_json;

struct Ran {
  int exit_code = -1;
  std::string output;  // of both streams, but for RunApart
  std::string errors = {};
};

class CommandLine : public testing::Test {
 protected:
  std::string File(const std::string& name) const { return directory_ / name; }
  const RealServer& server() const { return server_; }

  void SetUp() override {
    std::string pattern = std::filesystem::temp_directory_path() / "clearance-cli-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string Write(const std::string& name, const std::string& text) const {
    std::string path = directory_ / name;
    std::ofstream(path) << text;
    return path;
  }

  // Any command, with the address of the server in its environment.
  Ran Shell(const std::string& program) const {
    const std::string command = "CLEARANCE_ADDR=" + server_.address() + " " + program;
    test::ShellResult result = test::RunShell(command);
    return {result.exit_code, std::move(result.output)};
  }

  Ran Run(const std::string& arguments) const {
    return Shell(CLEARANCE_CLI " " + arguments + " 2>&1");
  }

  // With stderr for itself.
  Ran RunApart(const std::string& arguments) const {
    Ran ran = Shell(CLEARANCE_CLI " " + arguments + " 2>" + File("stderr"));
    std::ifstream errors(File("stderr"));
    std::getline(errors, ran.errors, '\0');
    return ran;
  }

  std::string ShutdownAndScrape() const { return server_.ShutdownAndScrape(); }

  Ran Demo() const { return Shell(CLEARANCE_GRASP_DEMO " " + server_.address() + " 2>&1"); }

 private:
  const RealServer server_;
  std::filesystem::path directory_;
};

// As an argument of a shell.
inline constexpr char kBall[] = R"('{"sphere":{"radius":0.5}}' )";

}  // namespace clearance::client
