// SPDX-License-Identifier: Apache-2.0
//
// The server's settings as Abseil flags. flags.cc is the one place that defines them; they are
// reached by name, since the command line and the config file are read the same way.

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

// INVALID_ARGUMENT, naming the flag, the value and what is allowed, if there is no such flag or no
// such value.
absl::Status SetFlagByName(absl::string_view name, absl::string_view value);

// What the flags say now. INVALID_ARGUMENT where they contradict each other.
absl::StatusOr<ServerConfig> ConfigFromFlags();

// Name and value of every flag, in the order of the names.
std::vector<std::pair<std::string, std::string>> FlagValues();

// Name, default and meaning of every flag, for people.
std::string DescribeFlags();

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_CONFIG_FLAGS_H_
