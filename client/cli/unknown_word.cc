// SPDX-License-Identifier: Apache-2.0
#include "client/cli/unknown_word.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "client/cli/command.h"

namespace clearance::client {
namespace {

// Returns the number of characters to change, add or remove to turn `a` into `b`.
// Source: R. A. Wagner, M. J. Fischer, "The string-to-string correction problem", 1974.
std::size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

// The commands from the first to the one that was read last.
std::vector<const CLI::App*> PathOf(const CLI::App& app) {
  std::vector<const CLI::App*> path = {&app};
  while (!path.back()->get_subcommands().empty())
    path.push_back(path.back()->get_subcommands().front());
  return path;
}

std::string TextOf(const std::vector<const CLI::App*>& path) {
  std::string text = "clearance";
  for (std::size_t i = 1; i < path.size(); ++i) absl::StrAppend(&text, " ", path[i]->get_name());
  return text;
}

std::vector<std::string> CommandsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* const command : Below(app, /*is_group=*/false))
    names.push_back(command->get_name());
  return names;
}

void AddOptions(const CLI::App& app, std::vector<std::string>* names) {
  for (const CLI::Option* const option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names->push_back("--" + name);
  }
  for (const CLI::App* const group : Below(app, /*is_group=*/true)) AddOptions(*group, names);
}

// An option of a command is one of those below it too.
std::vector<std::string> OptionsOf(const std::vector<const CLI::App*>& path) {
  std::vector<std::string> names;
  for (const CLI::App* const app : path) AddOptions(*app, &names);
  return names;
}

std::string ErrorOf(absl::string_view what, absl::string_view word,
                    const std::vector<std::string>& known) {
  const auto distance = [&](const std::string& name) { return EditDistance(word, name); };
  const auto nearest = std::min_element(
      known.begin(), known.end(),
      [&](const std::string& a, const std::string& b) { return distance(a) < distance(b); });
  const bool is_near = nearest != known.end() && 2 * distance(*nearest) <= word.size();
  return absl::StrCat("unknown ", what, " \"", word, "\"",
                      is_near ? absl::StrCat(": did you mean \"", *nearest, "\"?") : "");
}

// Returns the option of this name, or null.
const CLI::Option* FindOption(const CLI::App& app, absl::string_view name) {
  for (const CLI::Option* const option : app.get_options()) {
    if (option->get_name() == name) return option;
  }
  for (const CLI::App* const group : Below(app, /*is_group=*/true)) {
    if (const CLI::Option* const found = FindOption(*group, name)) return found;
  }
  return nullptr;
}

}  // namespace

std::string UsageError(const CLI::App* app, const CLI::Error& error) {
  std::string text = CLI::FailureMessage::simple(app, error);
  const absl::string_view what = error.what();
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ArgumentMismatch)) return text;
  const absl::string_view name = what.substr(0, what.find(':'));
  for (const CLI::App* const command : PathOf(*app)) {
    const CLI::Option* const option = FindOption(*command, name);
    if (option == nullptr) continue;
    return absl::StrCat(what, ": ", option->get_description(), text.substr(what.size()));
  }
  return text;
}

std::string UnknownWord(const CLI::App& app) {
  const std::vector<const CLI::App*> path = PathOf(app);
  const std::vector<std::string> words = app.remaining(/*recurse=*/true);
  double number = 0;
  if (words.empty() || absl::SimpleAtod(words.front(), &number)) return "";
  const absl::string_view word = words.front();
  const std::vector<std::string> commands = CommandsOf(*path.back());
  std::string error;
  if (word.substr(0, 1) == "-") {
    error = ErrorOf("option", word.substr(0, word.find('=')), OptionsOf(path));
  } else if (!commands.empty()) {
    error = ErrorOf("command", word, commands);
  } else {
    return "";
  }
  return absl::StrCat(error, "\n", TextOf(path), " --help lists all\n");
}

}  // namespace clearance::client
