// SPDX-License-Identifier: Apache-2.0
//
// The bar of long work: on a terminal (of script(1)) and not elsewhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/integration/client/command_line.h"
#include "tests/support/skip.h"

namespace clearance::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ProgressBar : public CommandLine {
 protected:
  // Runs with a terminal as stderr; stdout goes into a file.
  Ran OnTerminal(const std::string& arguments) const {
    return Shell("script -qec '" CLEARANCE_CLI " " + arguments + " >" + File("stdout") +
                 "' /dev/null 2>&1");
  }
};

TEST_F(ProgressBar, IsShownOfAnImportOfMeshesOnATerminalOnly) {
  if (!test::HasTerminals()) GTEST_SKIP() << test::kNoTerminals;
  Write("crate.json", R"({"box": {"half_extents": {"x": 1, "y": 1, "z": 1}}})");
  Write("poses.json", R"([{"mesh": "crate.json"}])");
  const auto named = [&](const std::string& name) {
    return "scene import " + name + " " + File("") + " " + File("poses.json");
  };
  const Ran shown = OnTerminal(named("first"));
  EXPECT_EQ(shown.exit_code, 0) << shown.output;
  EXPECT_THAT(shown.output, HasSubstr("[##############################] 1 of 1 meshes"));
  const Ran quiet = OnTerminal("--quiet " + named("second"));
  EXPECT_EQ(quiet.exit_code, 0) << quiet.output;
  EXPECT_THAT(quiet.output, Not(HasSubstr("meshes")));
  EXPECT_THAT(Run(named("third")).output, Not(HasSubstr("meshes")));
}

TEST_F(ProgressBar, IsShownOfTransfersAndFilesOfQuestions) {
  if (!test::HasTerminals()) GTEST_SKIP() << test::kNoTerminals;
  ASSERT_TRUE(server().Connect().Register("ball", {Sphere{0.5}, 0}).ok());
  const Ran saved = OnTerminal("export " + File("saved"));
  EXPECT_EQ(saved.exit_code, 0) << saved.output;
  EXPECT_THAT(saved.output, HasSubstr("1 shapes and scenes"));
  EXPECT_THAT(OnTerminal("import " + File("saved")).output, HasSubstr("bytes"));
  const std::string rows = Write("rows.jsonl", "{}\n{\"speed\": 1}\n");
  const Ran asked = OnTerminal("query distance --rows 1 " + rows + " ball ball");
  EXPECT_THAT(asked.output, HasSubstr("bytes"));
  // Other output begins on an empty line.
  EXPECT_THAT(asked.output, HasSubstr("\r\x1b[K" + rows + ": line 2: speed"));
}

}  // namespace
}  // namespace clearance::client
