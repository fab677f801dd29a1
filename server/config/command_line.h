// SPDX-License-Identifier: Apache-2.0
//
// Parses the arguments of the process into the requested action. Abseil's own parser ends the
// process by itself with 1 and cannot read a file of plain `name = value` lines. Here both sources
// go through the table of settings, an error names the place, and tests need no process.

#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "server/config/server_config.h"

namespace clearance::server {

enum class Action {
  kServe,
  kShowHelp,
  kShowFullHelp,
  kShowVersion,
  kCheckHealth,
  kMakeToken,
  kBackUp,
};

struct CommandLine {
  Action action = Action::kServe;
  ServerConfig config = {};   // of kServe, kCheckHealth and kBackUp
  std::string argument = {};  // host:port or unix:path, whose token, or the file of the backup
};

// Parses `arguments` without the program's name; in names of both sources `-` stands for `_`. A
// setting of the command line wins over the file's. INVALID_ARGUMENT names the place (argument, or
// file and line), the name, the value and the allowed values.
absl::StatusOr<CommandLine> ParseArguments(absl::Span<const char* const> arguments);

// Sets what lines `name = value` say; skips empty lines and lines that start with `#`.
absl::Status ReadConfigFile(const std::string& path, ServerConfig* config);

// With the settings that operators need first (kShowHelp), or with all by group (kShowFullHelp).
std::string HelpText(Action action);

}  // namespace clearance::server
