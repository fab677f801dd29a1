// SPDX-License-Identifier: Apache-2.0
#include "server/config/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "server/config/settings.h"

namespace clearance::server {
namespace {

using testing::HasSubstr;
using testing::Not;

class Arguments : public testing::Test {
 protected:
  static absl::StatusOr<CommandLine> Parse(const std::vector<const char*>& arguments) {
    return ParseArguments(arguments);
  }
};

TEST_F(Arguments, ServeByDefault) {
  const absl::StatusOr<CommandLine> line = Parse({});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->action, Action::kServe);
}

TEST_F(Arguments, SetWhatTheyName) {
  const absl::StatusOr<CommandLine> line =
      Parse({"--listen=[::]:1234", "--log_format=json", "--drain_delay=5s"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->config.listen, "[::]:1234");
  EXPECT_EQ(line->config.log_format, LogFormat::kJson);
  EXPECT_EQ(line->config.drain_delay, absl::Seconds(5));
}

TEST_F(Arguments, MayHaveDashesInNamesForUnderscores) {
  const absl::StatusOr<CommandLine> line =
      Parse({"--backup-to=my-copy", "--data-dir=/my-data", "--max_batch-rows=7"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->action, Action::kBackUp);
  EXPECT_EQ(line->argument, "my-copy");
  EXPECT_EQ(line->config.data_dir, "/my-data");
  EXPECT_EQ(line->config.limits.max_batch_rows, 7u);
}

TEST_F(Arguments, AskForHelpAndVersionWhateverElseIsSaid) {
  EXPECT_EQ(Parse({"--max_sessions=none", "--help"})->action, Action::kShowHelp);
  EXPECT_EQ(Parse({"--helpfull"})->action, Action::kShowFullHelp);
  EXPECT_EQ(Parse({"--version"})->action, Action::kShowVersion);
}

TEST_F(Arguments, HealthCheck_AsksThisMachineByDefault) {
  const absl::StatusOr<CommandLine> here = Parse({"--health_check", "--listen=0.0.0.0:777"});
  ASSERT_TRUE(here.ok()) << here.status();
  EXPECT_EQ(here->action, Action::kCheckHealth);
  EXPECT_EQ(here->argument, "127.0.0.1:777");
  EXPECT_EQ(Parse({"--health_check=other:1"})->argument, "other:1");
}

TEST_F(Arguments, BackUpADataDirectory) {
  const absl::StatusOr<CommandLine> line = Parse({"--backup_to=copy", "--data_dir=/data"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->action, Action::kBackUp);
  EXPECT_EQ(line->argument, "copy");
  EXPECT_EQ(line->config.data_dir, "/data");
}

TEST_F(Arguments, AreRefusedWithWhatIsWrong) {
  const struct {
    std::vector<const char*> arguments;
    const char* error;
  } rows[] = {
      {{"--max_batch_rows=0"}, "'0' specified for flag 'max_batch_rows'; must be a whole number"},
      {{"--max_batchrows=5"}, "Unknown flag 'max_batchrows' (value '5')"},
      {{"--max_batch_rows"}, "--max_batch_rows needs a value: --max_batch_rows=VALUE"},
      {{"--port"}, "Unknown flag 'port'; --helpfull lists all"},
      {{"--config_file"}, "--config_file needs a value: --config_file=VALUE"},
      {{"serve"}, "'serve' is not an argument of the form --name=value"},
      {{"-listen=x:1"}, "'-listen=x:1' is not an argument of the form --name=value"},
      {{"--"}, "'--' is not an argument"},
      {{"---listen=x:1"}, "Unknown flag '_listen'"},
      {{"--config_file=/no/such/file"}, "/no/such/file: No such file or directory"},
      {{"--backup_to=copy"}, "--backup_to=FILE needs"},
      {{"--backup_to=", "--data_dir=/data"}, "--backup_to=FILE needs"},
      {{"--help=yes"}, "Unknown flag 'help'"},
      {{"--max_request_bytes=32MiB"}, "must be at most max_transport_bytes, which is 24MiB"},
  };
  for (const auto& row : rows) {
    const absl::StatusOr<CommandLine> line = Parse(row.arguments);
    EXPECT_EQ(line.status().code(), absl::StatusCode::kInvalidArgument) << row.error;
    EXPECT_THAT(std::string(line.status().message()), HasSubstr(row.error));
  }
}

TEST_F(Arguments, AskForANewToken) {
  const absl::StatusOr<CommandLine> line = Parse({"--new_token=planner"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->action, Action::kMakeToken);
  EXPECT_EQ(line->argument, "planner");
}

TEST_F(Arguments, AskForHealthOnTheLoopbackOfAnUnspecifiedHost) {
  const auto address = [](const char* listen) {
    return Parse({"--health_check", listen}).value().argument;
  };
  EXPECT_EQ(address("--listen=0.0.0.0:50051"), "127.0.0.1:50051");
  EXPECT_EQ(address("--listen=[::]:50051"), "[::1]:50051");
  EXPECT_EQ(address("--listen=10.0.0.7:50051"), "10.0.0.7:50051");
  EXPECT_EQ(address("--listen=unix:/run/clearance.sock"), "unix:/run/clearance.sock");
}

TEST(Help, ShowsTenSettingsAndTheExitCodes) {
  const std::string help = HelpText(Action::kShowHelp);
  for (const char* const part :
       {"--config_file=PATH", "--health_check", "--listen=127.0.0.1:50051", "with 2",
        "--max_connections=4096", "All settings: --helpfull",
        "Copy the shapes and scenes of --data_dir", "or the shared\nstore cannot be used"}) {
    EXPECT_THAT(help, HasSubstr(part));
  }
  EXPECT_THAT(help, Not(HasSubstr("--max_batch_rows")));
  EXPECT_EQ(absl::c_count_if(AllSettings(), [](const auto& each) { return each.has(kFirst); }), 10);
}

TEST(FullHelp, ShowsEachSettingInItsGroup) {
  const std::string help = HelpText(Action::kShowFullHelp);
  EXPECT_THAT(help, HasSubstr("\n\nListening and connections:\n  --listen=127.0.0.1:50051\n"));
  EXPECT_THAT(help, HasSubstr("\n\nLimits:\n  --max_request_bytes=16MiB\n"));
  for (const Setting& setting : AllSettings()) {
    EXPECT_THAT(help, HasSubstr(absl::StrCat("\n  --", setting.name, "=", setting.default_value(),
                                             "\n      ", setting.help, "\n")));
  }
}

}  // namespace
}  // namespace clearance::server
