// SPDX-License-Identifier: Apache-2.0

#ifndef CLEARANCE_CLIENT_CLI_UNKNOWN_WORD_H_
#define CLEARANCE_CLIENT_CLI_UNKNOWN_WORD_H_

#include <CLI/CLI.hpp>
#include <string>

namespace clearance::client {

// Returns the error of the first unknown command or option, with the nearest known one; "" if there
// is no such word.
std::string UnknownWord(const CLI::App& app);

}  // namespace clearance::client

#endif  // CLEARANCE_CLIENT_CLI_UNKNOWN_WORD_H_
