// SPDX-License-Identifier: Apache-2.0
//
// From the arguments of the process to what it is asked to do. Abseil's own parser ends the process
// by itself with 1 and knows no file of plain `name = value` lines; here both sources go through
// the flags' own parsers, one error names the place, and tests can ask without a process.

#ifndef CLEARANCE_SERVER_CONFIG_COMMAND_LINE_H_
#define CLEARANCE_SERVER_CONFIG_COMMAND_LINE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/config/server_config.h"

namespace clearance::server {

enum class Action { kServe, kShowHelp, kShowVersion, kCheckHealth, kMakeToken, kBackUp };

struct CommandLine {
  Action action = Action::kServe;
  ServerConfig config = {};         // of kServe, kCheckHealth and kBackUp
  std::string health_address = {};  // of kCheckHealth: host:port or unix:path
  std::string token_id = {};        // of kMakeToken: whose
  std::string backup_file = {};     // of kBackUp
};

// `arguments` without the program's name; in names of both sources `-` stands for `_`. A setting of
// the command line wins over the file's. INVALID_ARGUMENT says where (argument, or file and line),
// the name, the value and what is allowed. Not thread-safe: sets flags.
absl::StatusOr<CommandLine> ParseArguments(absl::Span<const char* const> arguments);

// Lines `name = value`, empty lines, and lines that start with `#`.
absl::Status ReadConfigFile(const std::string& path);

// Where a client on the same machine reaches a server that listens there: an unspecified host is
// the loopback.
std::string LocalAddressOf(absl::string_view listen);

std::string HelpText();

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_CONFIG_COMMAND_LINE_H_
