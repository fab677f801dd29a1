// SPDX-License-Identifier: Apache-2.0
#include "server/config/command_line.h"

#include <cerrno>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "server/config/settings.h"

namespace clearance::server {
namespace {

// One argument, cut at its first `=`.
struct Argument {
  std::string name;
  std::optional<absl::string_view> value;
};

// Holds the settings that only the command line can give.
struct CommandLineOnly {
  Action action = Action::kServe;
  std::string config_file;
  std::string health_address;
  std::string token_id;
  std::string backup_file;
  std::vector<Argument> settings;
};

// Returns the name of the flag that was written: `-` stands for `_`.
std::string FlagName(absl::string_view written) {
  return absl::StrReplaceAll(written, {{"-", "_"}});
}

absl::StatusOr<Argument> Split(absl::string_view argument) {
  absl::string_view text = argument;
  if (!absl::ConsumePrefix(&text, "--") || text.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", argument, "' is not an argument of the form --name=value; --helpfull lists all"));
  }
  const std::size_t equals = text.find('=');
  if (equals == absl::string_view::npos) return Argument{FlagName(text), std::nullopt};
  return Argument{FlagName(text.substr(0, equals)), text.substr(equals + 1)};
}

absl::Status Take(const Argument& argument, CommandLineOnly* line) {
  if (argument.name == "help" && !argument.value.has_value()) {
    line->action = Action::kShowHelp;
  } else if (argument.name == "helpfull" && !argument.value.has_value()) {
    line->action = Action::kShowFullHelp;
  } else if (argument.name == "version" && !argument.value.has_value()) {
    line->action = Action::kShowVersion;
  } else if (argument.name == "health_check") {
    line->action = Action::kCheckHealth;
    line->health_address = std::string(argument.value.value_or(""));
  } else if (argument.name == "new_token") {
    line->action = Action::kMakeToken;
    line->token_id = std::string(argument.value.value_or(""));
  } else if (!argument.value.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", argument.name, " needs a value: --", argument.name, "=VALUE"));
  } else if (argument.name == "backup_to") {
    line->action = Action::kBackUp;
    line->backup_file = std::string(*argument.value);
  } else if (argument.name == "config_file") {
    line->config_file = std::string(*argument.value);
  } else {
    line->settings.push_back(argument);
  }
  return absl::OkStatus();
}

absl::Status SetFromLine(absl::string_view line, ServerConfig* config) {
  line = absl::StripAsciiWhitespace(line);
  if (line.empty() || line.front() == '#') return absl::OkStatus();
  const std::pair<absl::string_view, absl::string_view> halves =
      absl::StrSplit(line, absl::MaxSplits('=', 1));
  if (!absl::StrContains(line, '=')) {
    return absl::InvalidArgumentError(absl::StrCat("'", line, "' is not a line `name = value`"));
  }
  return SetByName(FlagName(absl::StripAsciiWhitespace(halves.first)),
                   absl::StripAsciiWhitespace(halves.second), config);
}

std::string Described(const Setting& setting) {
  return absl::StrCat("  --", setting.name, "=", setting.default_value(), "\n      ", setting.help,
                      "\n");
}

std::string DescribeFirst() {
  std::string text;
  for (const Setting& setting : AllSettings()) {
    if (setting.has(kFirst)) absl::StrAppend(&text, Described(setting));
  }
  return absl::StrCat(text, "\nAll settings: --helpfull\n");
}

std::string DescribeAll() {
  std::string text;
  absl::string_view group;
  for (const Setting& setting : AllSettings()) {
    if (setting.group != group) {
      absl::StrAppend(&text, group.empty() ? "" : "\n", setting.group, ":\n");
      group = setting.group;
    }
    absl::StrAppend(&text, Described(setting));
  }
  return text;
}

// Reads the config file, then what the command line says in addition.
absl::StatusOr<ServerConfig> ReadSettings(const CommandLineOnly& line) {
  ServerConfig config;
  absl::Status status;
  if (!line.config_file.empty()) status = ReadConfigFile(line.config_file, &config);
  for (const Argument& setting : line.settings) {
    if (status.ok()) status = SetByName(setting.name, *setting.value, &config);
  }
  if (status.ok()) status = CheckTogether(config);
  if (!status.ok()) return status;
  return config;
}

}  // namespace

absl::Status ReadConfigFile(const std::string& path, ServerConfig* config) {
  std::ifstream file(path);
  if (!file) {
    return absl::InvalidArgumentError(
        absl::StrCat("--config_file=", path, ": ", std::generic_category().message(errno)));
  }
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const absl::Status status = SetFromLine(line, config);
    if (!status.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(path, ":", number, ": ", status.message()));
    }
  }
  if (!file.eof()) {
    return absl::InvalidArgumentError(absl::StrCat("--config_file=", path, ": cannot be read"));
  }
  return absl::OkStatus();
}

absl::StatusOr<CommandLine> ParseArguments(absl::Span<const char* const> arguments) {
  CommandLineOnly only;
  for (const char* const text : arguments) {
    const absl::StatusOr<Argument> argument = Split(text);
    if (!argument.ok()) return argument.status();
    const absl::Status status = Take(*argument, &only);
    if (!status.ok()) return status;
  }
  if (only.action == Action::kShowHelp || only.action == Action::kShowFullHelp ||
      only.action == Action::kShowVersion) {
    return CommandLine{.action = only.action};
  }
  if (only.action == Action::kMakeToken) {
    return CommandLine{.action = only.action, .token_id = std::move(only.token_id)};
  }
  absl::StatusOr<ServerConfig> config = ReadSettings(only);
  if (!config.ok()) return config.status();
  if (only.action == Action::kBackUp && (config->data_dir.empty() || only.backup_file.empty())) {
    return absl::InvalidArgumentError(
        "--backup_to=FILE needs the name of a file that is not there, and --data_dir of the "
        "server");
  }
  if (only.health_address.empty()) only.health_address = LocalAddressOf(config->listen);
  return CommandLine{.action = only.action,
                     .config = *std::move(config),
                     .health_address = std::move(only.health_address),
                     .backup_file = std::move(only.backup_file)};
}

std::string LocalAddressOf(absl::string_view listen) {
  if (absl::ConsumePrefix(&listen, "0.0.0.0:")) return absl::StrCat("127.0.0.1:", listen);
  if (absl::ConsumePrefix(&listen, "[::]:")) return absl::StrCat("[::1]:", listen);
  return std::string(listen);
}

std::string HelpText(HelpExtent extent) {
  return absl::StrCat(
      "clearance-server: distances, intersections and times of collision of convex shapes, over "
      "gRPC.\n"
      "\n"
      "  clearance-server [--name=value ...]\n"
      "\n"
      "In names `-` stands for `_`.\n"
      "\n"
      "  --help\n      Show the settings that are needed first.\n"
      "  --helpfull\n      Show all settings.\n"
      "  --version\n      Show the version.\n"
      "  --config_file=PATH\n"
      "      Read settings from lines `name = value` (`#` starts a line of comment) with the "
      "names\n"
      "      below. The command line wins.\n"
      "  --health_check[=ADDRESS]\n"
      "      Ask a running server (default: the one at --listen) for its health, print it, and "
      "exit\n"
      "      with 0 if it serves and 1 if not.\n"
      "  --new_token=ID\n"
      "      Print a new token for the principal ID, once, and below it the line that makes the "
      "server\n"
      "      know it, for the file of --token_file.\n"
      "  --backup_to=FILE\n"
      "      Copy the shapes and scenes of --data_dir, as of one moment, into a new file, whether\n"
      "      or not a server runs on it. To restore it put it into an empty --data_dir as\n"
      "      shapes.sqlite.\n"
      "\n"
      "Settings and their defaults. Bytes take the units KiB, MiB, GiB; times ms, s, m.\n"
      "\n",
      extent == HelpExtent::kAll ? DescribeAll() : DescribeFirst(),
      "\n"
      "SIGHUP reads the policy, the tokens and the certificates again.\n"
      "Exits with 0 after a drain (SIGTERM or SIGINT; a second signal ends it at once with 1), "
      "with 1\n"
      "if it cannot listen, with 2 if a setting is wrong, with 3 if the data directory or the "
      "shared\n"
      "store cannot be used.\n");
}

}  // namespace clearance::server
