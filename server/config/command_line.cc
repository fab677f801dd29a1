// SPDX-License-Identifier: Apache-2.0
#include "server/config/command_line.h"

#include <cerrno>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "server/config/settings.h"

namespace clearance::server {
namespace {

constexpr char kUsage[] =
    "clearance-server: distances, intersections and times of collision of convex shapes, over "
    "gRPC.\n"
    R"(
  clearance-server [--name=value ...]

In names `-` stands for `_`.

  --help
      Show the settings that are needed first.
  --helpfull
      Show all settings.
  --version
      Show the version.
  --config_file=PATH
      Read settings from lines `name = value` (`#` starts a line of comment) with the names
      below. The command line wins.
  --health_check[=ADDRESS]
      Ask a running server (default: the one at --listen) for its health, print it, and exit
      with 0 if it serves and 1 if not.
  --new_token=ID
      Print a new token for the principal ID, once, and below it the line that makes the server
      know it, for the file of --token_file.
  --backup_to=FILE
      Copy the shapes and scenes of --data_dir, as of one moment, into a new file, whether
      or not a server runs on it. To restore it put it into an empty --data_dir as
      shapes.sqlite.

Settings and their defaults. Bytes take the units KiB, MiB, GiB; times ms, s, m.

)";

constexpr char kSignalsAndExitCodes[] = R"(
SIGHUP reads the policy, the tokens and the certificates again.
Exits with 0 after a drain (SIGTERM or SIGINT; a second signal ends it at once with 1), with 1
if it cannot listen, with 2 if a setting is wrong, with 3 if the data directory or the shared
store cannot be used.
)";

// One argument, cut at its first `=`.
struct Argument {
  std::string name;
  std::optional<absl::string_view> value;
};

// Holds what the arguments say, before settings are read.
struct Arguments {
  CommandLine line;
  std::string config_file;
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

// An unknown flag is refused as one: a value would not help it.
absl::Status RefuseWithoutValue(const std::string& name) {
  const bool is_known = name == "backup_to" || name == "config_file" ||
                        absl::c_any_of(AllSettings(), [&name](const Setting& setting) {
                          return setting.name == name;
                        });
  return absl::InvalidArgumentError(
      is_known ? absl::StrCat("--", name, " needs a value: --", name, "=VALUE")
               : absl::StrCat("Unknown flag '", name, "'; --helpfull lists all"));
}

absl::Status Take(const Argument& argument, Arguments* all) {
  const bool has_value = argument.value.has_value();
  const std::string value(argument.value.value_or(""));
  CommandLine* const line = &all->line;
  if (argument.name == "help" && !has_value) {
    line->action = Action::kShowHelp;
  } else if (argument.name == "helpfull" && !has_value) {
    line->action = Action::kShowFullHelp;
  } else if (argument.name == "version" && !has_value) {
    line->action = Action::kShowVersion;
  } else if (argument.name == "health_check") {
    line->action = Action::kCheckHealth;
    line->health_address = value;
  } else if (argument.name == "new_token") {
    line->action = Action::kMakeToken;
    line->token_id = value;
  } else if (!has_value) {
    return RefuseWithoutValue(argument.name);
  } else if (argument.name == "backup_to") {
    line->action = Action::kBackUp;
    line->backup_file = value;
  } else if (argument.name == "config_file") {
    all->config_file = value;
  } else {
    all->settings.push_back(argument);
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

std::string DescribeSettings(HelpExtent extent) {
  const bool is_all = extent == HelpExtent::kAll;
  std::string text;
  absl::string_view group;
  for (const Setting& setting : AllSettings()) {
    if (!is_all && !setting.has(kFirst)) continue;
    if (is_all && setting.group != group) {
      absl::StrAppend(&text, group.empty() ? "" : "\n", setting.group, ":\n");
      group = setting.group;
    }
    absl::StrAppend(&text, "  --", setting.name, "=", setting.default_value(), "\n      ",
                    setting.help, "\n");
  }
  return is_all ? text : absl::StrCat(text, "\nAll settings: --helpfull\n");
}

// Reads the config file, then what the command line says in addition.
absl::Status ReadSettings(const Arguments& all, ServerConfig* config) {
  absl::Status status;
  if (!all.config_file.empty()) status = ReadConfigFile(all.config_file, config);
  for (const Argument& setting : all.settings) {
    if (status.ok()) status = SetByName(setting.name, *setting.value, config);
  }
  return status.ok() ? CheckTogether(*config) : status;
}

// Returns the address by which a client on the same machine reaches a server that listens at
// `listen`: the loopback for an unspecified host.
std::string LocalAddressOf(absl::string_view listen) {
  if (absl::ConsumePrefix(&listen, "0.0.0.0:")) return absl::StrCat("127.0.0.1:", listen);
  if (absl::ConsumePrefix(&listen, "[::]:")) return absl::StrCat("[::1]:", listen);
  return std::string(listen);
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
  Arguments all;
  for (const char* const text : arguments) {
    const absl::StatusOr<Argument> argument = Split(text);
    if (!argument.ok()) return argument.status();
    if (absl::Status status = Take(*argument, &all); !status.ok()) return status;
  }
  CommandLine& line = all.line;
  if (line.action != Action::kServe && line.action != Action::kCheckHealth &&
      line.action != Action::kBackUp) {
    return std::move(line);
  }
  if (absl::Status status = ReadSettings(all, &line.config); !status.ok()) return status;
  if (line.action == Action::kBackUp &&
      (line.config.data_dir.empty() || line.backup_file.empty())) {
    return absl::InvalidArgumentError(
        "--backup_to=FILE needs the name of a file that is not there, and --data_dir of the "
        "server");
  }
  if (line.health_address.empty()) line.health_address = LocalAddressOf(line.config.listen);
  return std::move(line);
}

std::string HelpText(HelpExtent extent) {
  return absl::StrCat(kUsage, DescribeSettings(extent), kSignalsAndExitCodes);
}

}  // namespace clearance::server
