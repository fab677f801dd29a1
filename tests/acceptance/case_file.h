// SPDX-License-Identifier: Apache-2.0
//
// Reads the tool's input: case files, folders of them, and data folders with reference answers.

#pragma once

#include <filesystem>

#include "tests/acceptance/question.h"

namespace clearance::acceptance {

// Reads one case a line, each with its own shapes.
TaskFile ReadCaseFile(const std::filesystem::path& path);

}  // namespace clearance::acceptance
