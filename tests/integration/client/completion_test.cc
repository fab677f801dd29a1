// SPDX-License-Identifier: Apache-2.0
//
// The completion of shells, by bash itself, compared with --help of every command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/optional_program.h"
#include "tests/support/shell.h"

namespace clearance::client {
namespace {

using Words = std::set<std::string>;

std::string OutputOf(const std::string& command) {
  test::ShellResult result = test::RunShell(command);
  EXPECT_EQ(result.exit_code, 0) << command;
  return std::move(result.output);
}

// Returns the completions that bash offers for the last of these words, split as bash splits a
// line.
Words Completed(const std::string& words) {
  const std::string script =
      "source <(" CLEARANCE_CLI " completion bash); COMP_WORDS=(clearance " + words +
      "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _clearance; printf \"%s\\n\" \"${COMPREPLY[@]}\"";
  std::istringstream text(OutputOf("bash -c '" + script + "'"));
  Words offered;
  for (std::string word; text >> word;) offered.insert(word);
  return offered;
}

struct Help {
  Words options;
  std::vector<std::string> words;  // of subcommands
};

// Returns the words with which the lines of --help begin, of a command "scene check" or of all.
Help HelpOf(const std::string& command) {
  std::istringstream text(OutputOf(std::string(CLEARANCE_CLI " ") + command + " --help"));
  Help help;
  std::string section;
  for (std::string line; std::getline(text, line);) {
    if (line.empty()) continue;
    // The options of a group stand further in.
    if (line[0] != ' ') section = line;
    const bool is_group = section.rfind("[Option Group", 0) == 0;
    const std::string indent = is_group ? "    " : "  ";
    std::istringstream cells(line);
    std::string first;
    cells >> first;
    if (line.rfind(indent, 0) != 0 || line.rfind(indent + " ", 0) == 0) continue;
    if (section == "Subcommands:") help.words.push_back(first);
    if (section != "Options:" && section != "Connection:" && !is_group) continue;
    std::istringstream names(first);
    for (std::string name; std::getline(names, name, ',');) help.options.insert(name);
  }
  return help;
}

// Checks this command and those below it; returns how many.
int CheckPlace(const std::string& command, Words inherited) {
  const Help help = HelpOf(command);
  inherited.insert(help.options.begin(), help.options.end());
  EXPECT_EQ(Completed(command + " -"), inherited) << command;
  if (!help.words.empty()) {
    EXPECT_EQ(Completed(command + " \"\""), Words(help.words.begin(), help.words.end())) << command;
  }
  int places = 1;
  for (const std::string& word : help.words) {
    std::string below = command;
    below.append(" ").append(word);
    places += CheckPlace(below, inherited);
  }
  return places;
}

TEST(Completion, OffersWhatTheHelpOfEveryCommandSays) { EXPECT_GE(CheckPlace("", {}), 35); }

TEST(Completion, OffersWhatBeginsLikeTheWord) {
  EXPECT_EQ(Completed("do"), Words{"doctor"});
  EXPECT_EQ(Completed("scene ch"), Words{"check"});
  EXPECT_EQ(Completed("scene --tls-s"), Words{"--tls-server-name"});
  EXPECT_EQ(Completed("scene sweep --disp"), Words{"--displacement"});  // of a group
}

TEST(Completion, OffersTheWordsThatAnOptionTakes) {
  EXPECT_EQ(Completed("query distance --from \"\""), (Words{"csv", "jsonl", "npy"}));
  EXPECT_EQ(Completed("completion \"\""), (Words{"bash", "zsh", "fish"}));
  EXPECT_EQ(Completed("query distance --from = \"\""), (Words{"csv", "jsonl", "npy"}));
  // For a number or a file the script offers nothing.
  EXPECT_EQ(Completed("--timeout \"\""), Words{});
  EXPECT_EQ(Completed("--token-file \"\""), Words{});
}

TEST(Completion, PassesOverTheValuesOfOptions) {
  EXPECT_EQ(Completed("--addr scene che"), Words{});
  EXPECT_EQ(Completed("--addr query scene che"), Words{"check"});
  EXPECT_EQ(Completed("--addr = localhost : 50051 scene che"), Words{"check"});
  const std::string check = "scene check cell ball --pose ";
  EXPECT_EQ(Completed(check + "0 0 -1 0 0 0 1 --ma"), Words{"--margin"});
  EXPECT_EQ(Completed(check + "0,0,-1,0,0,0,1 --ma"), Words{"--margin"});
  EXPECT_EQ(Completed(check + "0 0 --ma"), Words{});
}

class CompletionOf : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Shells, CompletionOf, testing::Values("bash", "zsh", "fish"),
                         [](const auto& row) { return std::string(row.param); });

TEST_P(CompletionOf, IsOfTheShellsSyntax) {
  const std::string shell = GetParam();
  if (shell != "bash") {
    CLEARANCE_REQUIRE_PROGRAMS(shell);
  }
  std::string check = CLEARANCE_CLI " completion ";
  check.append(shell).append(" | ").append(shell).append(" -n 2>&1");
  EXPECT_EQ(OutputOf(check), "");
}

}  // namespace
}  // namespace clearance::client
