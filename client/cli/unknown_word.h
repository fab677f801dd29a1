// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace clearance::client {

// Returns the error of the first unknown command or option, with the nearest known one; "" if there
// is no such word.
std::string UnknownWord(const CLI::App& app);

// Returns the text of an error of CLI11. An option with too few or too many arguments is described:
// which numbers it takes.
std::string UsageError(const CLI::App* app, const CLI::Error& error);

}  // namespace clearance::client
