// SPDX-License-Identifier: Apache-2.0
#include "server/config/command_line.h"

#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
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

// Flags that ask for something besides serving.
constexpr struct {
  absl::string_view name;
  Action action;
  bool may_have_value;
} kActions[] = {
    {"help", Action::kShowHelp, false},       {"helpfull", Action::kShowFullHelp, false},
    {"version", Action::kShowVersion, false}, {"health_check", Action::kCheckHealth, true},
    {"new_token", Action::kMakeToken, true},  {"backup_to", Action::kBackUp, true},
};

// Holds what the arguments say, before settings are read.
struct Arguments {
  CommandLine line;
  std::string config_file;
  std::vector<std::pair<std::string, std::string>> settings;  // names and values
};

// Returns the name of the flag that was written: `-` stands for `_`.
std::string FlagName(absl::string_view written) {
  return absl::StrReplaceAll(written, {{"-", "_"}});
}

absl::Status Take(absl::string_view argument, Arguments* all) {
  absl::string_view text = argument;
  if (!absl::ConsumePrefix(&text, "--") || text.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", argument, "' is not an argument of the form --name=value; --helpfull lists all"));
  }
  const std::size_t equals = text.find('=');
  const bool has_value = equals != absl::string_view::npos;
  const std::string name = FlagName(text.substr(0, equals));
  const std::string value(has_value ? text.substr(equals + 1) : "");
  for (const auto& [flag, action, may_have_value] : kActions) {
    if (name != flag || (has_value && !may_have_value)) continue;
    all->line.action = action;
    all->line.argument = value;
    return absl::OkStatus();
  }
  const bool is_config_file = name == "config_file";
  if (!has_value) {
    return absl::InvalidArgumentError(
        is_config_file || FindSetting(name) != nullptr
            ? absl::StrCat("--", name, " needs a value: --", name, "=VALUE")
            : absl::StrCat("Unknown flag '", name, "'; --helpfull lists all"));
  }
  if (is_config_file) {
    all->config_file = value;
  } else {
    all->settings.emplace_back(name, value);
  }
  return absl::OkStatus();
}

absl::Status SetFromLine(absl::string_view line, ServerConfig* config) {
  line = absl::StripAsciiWhitespace(line);
  if (line.empty() || line.front() == '#') return absl::OkStatus();
  const std::size_t equals = line.find('=');
  if (equals == absl::string_view::npos) {
    return absl::InvalidArgumentError(absl::StrCat("'", line, "' is not a line `name = value`"));
  }
  return SetByName(FlagName(absl::StripAsciiWhitespace(line.substr(0, equals))),
                   absl::StripAsciiWhitespace(line.substr(equals + 1)), config);
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
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
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
  for (const char* const argument : arguments) {
    if (absl::Status status = Take(argument, &all); !status.ok()) return status;
  }
  CommandLine& line = all.line;
  if (line.action != Action::kServe && line.action != Action::kCheckHealth &&
      line.action != Action::kBackUp) {
    return std::move(line);
  }
  absl::Status status;
  if (!all.config_file.empty()) status = ReadConfigFile(all.config_file, &line.config);
  for (const auto& [name, value] : all.settings) {
    if (status.ok()) status = SetByName(name, value, &line.config);
  }
  if (status.ok()) status = CheckTogether(line.config);
  if (!status.ok()) return status;
  if (line.action == Action::kBackUp && (line.config.data_dir.empty() || line.argument.empty())) {
    return absl::InvalidArgumentError(
        "--backup_to=FILE needs the name of a file that is not there, and --data_dir of the "
        "server");
  }
  if (line.action == Action::kCheckHealth && line.argument.empty())
    line.argument = LocalAddressOf(line.config.listen);
  return std::move(line);
}

std::string HelpText(Action action) {
  const bool shows_all = action == Action::kShowFullHelp;
  std::string text = kUsage;
  absl::string_view group;
  for (const Setting& setting : AllSettings()) {
    if (!shows_all && !setting.has(kFirst)) continue;
    if (shows_all && setting.group != group) {
      absl::StrAppend(&text, group.empty() ? "" : "\n", setting.group, ":\n");
      group = setting.group;
    }
    absl::StrAppend(&text, "  --", setting.name, "=", setting.default_value(), "\n      ",
                    setting.help, "\n");
  }
  return absl::StrCat(text, shows_all ? "" : "\nAll settings: --helpfull\n", kSignalsAndExitCodes);
}

}  // namespace clearance::server
