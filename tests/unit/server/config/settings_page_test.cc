// SPDX-License-Identifier: Apache-2.0
//
// The page of settings and the example of a config file are what the table of settings makes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "server/config/command_line.h"
#include "server/config/settings.h"
#include "tests/support/generated_text.h"

namespace clearance::server {
namespace {

const std::string kRoot = CLEARANCE_ROOT;
const std::string kExample = kRoot + "/server/package/all_settings.conf";

std::string Quoted(const std::string& text) {
  return text.empty() ? "none" : absl::StrCat("`", text, "`");
}

// The allowed values, short.
std::string Values(const Setting& setting) {
  return absl::StrReplaceAll(
      setting.allowed(), {{"a whole number from", ""},
                          {"a number of bytes (such as 16777216, 16384KiB, 16MiB) from", "bytes"},
                          {"a time such as 500ms, 5s or 1m, from", "time"},
                          {"9223372036854775807", "2^63 - 1"},
                          {"one of ", ""}});
}

// Names of flags in code, so that no renderer makes a dash of two.
std::string Effect(const Setting& setting) {
  std::string text;
  for (absl::string_view word : absl::StrSplit(setting.help, ' ')) {
    const absl::string_view bare = absl::StripSuffix(
        absl::StripSuffix(absl::StripSuffix(absl::StripSuffix(word, ","), ":"), "."), ")");
    const bool is_flag = absl::StartsWith(bare, "--");
    absl::StrAppend(&text, text.empty() ? "" : " ", is_flag ? "`" : "", bare, is_flag ? "`" : "",
                    word.substr(bare.size()));
  }
  if (*setting.more != '\0') absl::StrAppend(&text, " ", setting.more);
  return text;
}

TEST(SettingsPage, IsWhatTheTableSays) {
  std::map<std::string, std::string> tables;
  for (const Setting& setting : AllSettings()) {
    std::string& table = tables[setting.group];
    if (table.empty()) table = "| flag | default | values | effect |\n|---|---|---|---|\n";
    absl::StrAppend(&table, "| `--", setting.name, "` | ", Quoted(setting.default_value()), " | ",
                    absl::StripAsciiWhitespace(Values(setting)), " | ", Effect(setting), " |\n");
  }
  const std::string path = kRoot + "/server/guide/settings.md";
  std::string page = test::ReadText(path);
  for (const auto& [group, table] : tables) page = test::WithPart(page, group, table);
  test::ExpectGenerated(path, page);
}

// Lines of comment, of at most 100 columns.
std::string Comment(absl::string_view text) {
  std::string lines;
  std::string line = "#";
  for (absl::string_view word : absl::StrSplit(text, ' ')) {
    if (line.size() + 1 + word.size() > 100) {
      absl::StrAppend(&lines, line, "\n");
      line = "#";
    }
    absl::StrAppend(&line, " ", word);
  }
  return absl::StrCat(lines, line, "\n");
}

TEST(ExampleConfig, IsWhatTheTableSays) {
  std::string text =
      "# Every setting of clearance-server with its default. Remove the # of a line to change it.\n"
      "# Bytes take the units KiB, MiB, GiB; times ms, s, m. The command line wins over this "
      "file:\n"
      "# clearance-server --config_file=FILE\n";
  absl::string_view group;
  for (const Setting& setting : AllSettings()) {
    if (setting.group != group) absl::StrAppend(&text, "\n# --- ", setting.group, " ---\n");
    group = setting.group;
    absl::StrAppend(&text, "\n", Comment(setting.help), "#", setting.name, " =");
    const std::string value = setting.default_value();
    absl::StrAppend(&text, value.empty() ? "" : " ", value, "\n");
  }
  test::ExpectGenerated(kExample, text);
}

// Reads the file with the lines `#name = value` as settings.
absl::Status ReadUncommented(const std::string& path, ServerConfig* config) {
  const std::string copy =
      absl::StrCat(testing::TempDir(), "clearance_settings.", getpid(), ".conf");
  std::istringstream lines(test::ReadText(path));
  {
    std::ofstream file(copy);
    for (std::string line; std::getline(lines, line);) {
      const bool is_setting = absl::StartsWith(line, "#") && !absl::StartsWith(line, "# ");
      file << (is_setting ? line.substr(1) : line) << '\n';
    }
  }
  const absl::Status status = ReadConfigFile(copy, config);
  std::remove(copy.c_str());
  return status;
}

TEST(ExampleConfig, IsReadLineByLine) {
  ServerConfig config;
  config.max_streams = 1;
  config.reflection = Reflection::kOff;
  ASSERT_TRUE(ReadUncommented(kExample, &config).ok());
  for (const Setting& setting : AllSettings())
    EXPECT_EQ(setting.print(config), setting.default_value()) << setting.name;
}

TEST(InstalledConfig, IsReadLineByLine) {
  ServerConfig config;
  const absl::Status status = ReadUncommented(kRoot + "/server/package/server.conf", &config);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(config.data_dir, "/var/lib/clearance");
  EXPECT_EQ(config.listen, "unix:/run/clearance/clearance.sock");
}

}  // namespace
}  // namespace clearance::server
