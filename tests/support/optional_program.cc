// SPDX-License-Identifier: Apache-2.0
#include "tests/support/optional_program.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace clearance::test {
namespace {

// Debian's package of each program.
std::map<std::string, std::string> ReadPackages() {
  std::ifstream file(CLEARANCE_OPTIONAL_PROGRAMS);
  std::map<std::string, std::string> packages;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string program, package;
    if (words >> program >> package && program[0] != '#') packages[program] = package;
  }
  return packages;
}

const std::string& PackageOf(const std::string& program) {
  static const std::map<std::string, std::string> packages = ReadPackages();
  const auto found = packages.find(program);
  if (found != packages.end()) return found->second;
  throw std::logic_error("unknown program " + program + ": add it to " CLEARANCE_OPTIONAL_PROGRAMS);
}

bool IsProgram(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

// As execvp searches: an empty folder means the current one.
bool IsOnPath(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/bin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (IsProgram(std::filesystem::path(folder) / program)) return true;
  }
  return false;
}

}  // namespace

std::string MissingReason(const std::vector<std::string>& programs) {
  for (const std::string& program : programs) {
    const std::string& package = PackageOf(program);
    if (!IsOnPath(program)) return program + " is not installed (Debian package " + package + ")";
  }
  return "";
}

}  // namespace clearance::test
