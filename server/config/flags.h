// SPDX-License-Identifier: Apache-2.0
//
// The server's settings as Abseil flags. Only flags.cc defines them; they are reached by name,
// since the command line and the config file are read by the same code.

#ifndef CLEARANCE_SERVER_CONFIG_FLAGS_H_
#define CLEARANCE_SERVER_CONFIG_FLAGS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/config/server_config.h"

namespace clearance::server {

// Sets a flag. INVALID_ARGUMENT, naming the flag, the value and the allowed values, if there is no
// such flag or the value is not allowed.
absl::Status SetFlagByName(absl::string_view name, absl::string_view value);

// Returns the settings that the flags have now. INVALID_ARGUMENT if they contradict each other.
absl::StatusOr<ServerConfig> ConfigFromFlags();

// Returns the name and value of every flag, in the order of the names.
std::vector<std::pair<std::string, std::string>> FlagValues();

// Returns the name, default and meaning of every flag, for people.
std::string DescribeFlags();

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_CONFIG_FLAGS_H_
