// SPDX-License-Identifier: Apache-2.0
#include "client/cli/token.h"

#include <cstdlib>

#include "absl/strings/ascii.h"
#include "client/cli/read_file.h"

namespace clearance::client {

absl::StatusOr<std::string> ReadToken(const std::string& path) {
  if (path.empty()) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread runs yet
    const char* const variable = std::getenv("CLEARANCE_TOKEN");
    return std::string(variable == nullptr ? "" : variable);
  }
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  std::string token = text->substr(0, text->find('\n'));
  absl::StripAsciiWhitespace(&token);
  if (token.empty()) return absl::InvalidArgumentError(path + ": begins with no token");
  return token;
}

}  // namespace clearance::client
