// SPDX-License-Identifier: Apache-2.0
//
// A whole text file.

#ifndef CLEARANCE_CLIENT_CLI_READ_FILE_H_
#define CLEARANCE_CLIENT_CLI_READ_FILE_H_

#include <fstream>
#include <sstream>
#include <string>

#include "absl/status/statusor.h"

namespace clearance::client {

// NOT_FOUND where it cannot be read.
inline absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) return absl::NotFoundError(path + ": cannot be read");
  return text.str();
}

}  // namespace clearance::client

#endif  // CLEARANCE_CLIENT_CLI_READ_FILE_H_
