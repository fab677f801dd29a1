// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace clearance::client {

// Returns the error of the first unknown command or option, with the nearest known one; "" if there
// is no such word.
std::string UnknownWord(const CLI::App& app);

}  // namespace clearance::client
