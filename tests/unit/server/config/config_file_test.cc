// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/config/command_line.h"

namespace clearance::server {
namespace {

class ConfigFile : public testing::Test {
 protected:
  ~ConfigFile() override { std::remove(path_.c_str()); }

  absl::Status Read(const std::string& text) {
    std::ofstream(path_) << text;
    return ReadConfigFile(path_, &config_);
  }

  ServerConfig config_;

  // Tests of one program may run at the same time, each in a process of its own.
  const std::string path_ =
      absl::StrCat(testing::TempDir(), "clearance_config_file_test.", getpid(), ".conf");
};

TEST_F(ConfigFile, MayHaveDashesInNamesForUnderscores) {
  ASSERT_TRUE(Read("max-batch-rows = 17\ndata-dir = /my-data\n").ok());
  EXPECT_EQ(config_.limits.max_batch_rows, 17u);
  EXPECT_EQ(config_.data_dir, "/my-data");
}

TEST_F(ConfigFile, SetsFlagsAndSkipsCommentsAndEmptyLines) {
  const absl::Status status = Read(
      "# limits\n"
      "\n"
      "max_batch_rows = 17\n"
      "  max_request_bytes=1MiB  \r\n"
      "   # indented\n"
      "port_file = /run/a=b");
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(config_.limits.max_batch_rows, 17);
  EXPECT_EQ(config_.limits.max_request_bytes, 1 << 20);
  EXPECT_EQ(config_.port_file, "/run/a=b");
}

TEST_F(ConfigFile, NamesFileLineNameValueAndLimitOfWhatItRefuses) {
  const struct {
    const char* text;
    const char* error;
  } rows[] = {
      {"# one\nmax_batch_rows = none\n",
       ":2: Illegal value 'none' specified for flag 'max_batch_rows'; must be a whole number "
       "from "
       "1 to 4294967295"},
      {"max_batchrows = 5", ":1: Unknown flag 'max_batchrows' (value '5'); --helpfull lists all"},
      {"\n\nmax_batch_rows 5\n", ":3: 'max_batch_rows 5' is not a line `name = value`"},
      {"config_file = other.conf\n",
       ":1: Unknown flag 'config_file' (value 'other.conf'); --helpfull lists all"},
  };
  for (const auto& row : rows) {
    const absl::Status status = Read(row.text);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), absl::StrCat(path_, row.error));
  }
}

TEST_F(ConfigFile, ThatIsNotThereIsAnErrorWithItsPath) {
  EXPECT_EQ(ReadConfigFile("/no/such/file", &config_).message(),
            "--config_file=/no/such/file: No such file or directory");
}

TEST_F(ConfigFile, ThatIsADirectoryIsAnError) {
  EXPECT_EQ(ReadConfigFile("/", &config_).code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ConfigFile, GivesWayToTheCommandLineWhereverItStands) {
  std::ofstream(path_) << "max_batch_rows = 17\nmax_sessions = 18\n";
  const std::string file = absl::StrCat("--config_file=", path_);
  const char* const arguments[] = {"--max_batch_rows=99", file.c_str()};
  const absl::StatusOr<CommandLine> line = ParseArguments(arguments);
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->config.limits.max_batch_rows, 99);
  EXPECT_EQ(line->config.limits.max_sessions, 18);
}

}  // namespace
}  // namespace clearance::server
