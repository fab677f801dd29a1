// SPDX-License-Identifier: Apache-2.0
//
// Reads the tool's input: case files, folders of them, and data folders with reference answers.

#ifndef CLEARANCE_TESTS_ACCEPTANCE_CASE_FILE_H_
#define CLEARANCE_TESTS_ACCEPTANCE_CASE_FILE_H_

#include <filesystem>

#include "tests/acceptance/question.h"

namespace clearance::acceptance {

// Reads one case a line, each with its own shapes.
TaskFile ReadCaseFile(const std::filesystem::path& path);

}  // namespace clearance::acceptance

#endif  // CLEARANCE_TESTS_ACCEPTANCE_CASE_FILE_H_
