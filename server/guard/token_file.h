// SPDX-License-Identifier: Apache-2.0
//
// The file of token hashes: one `ID sha256:HEX` a line, empty lines, and lines that start with `#`.
// An id may have several lines, which is how its token is changed without a gap. Errors name the
// line and never show it: somebody may have put the token itself there.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/guard/secret_token.h"

namespace clearance::server {

// Lines beyond these are refused.
inline constexpr std::size_t kMaxTokens = 10'000;

// Thread-compatible.
class TokenTable {
 public:
  // INVALID_ARGUMENT naming the line.
  static absl::StatusOr<TokenTable> Parse(std::string_view text);

  // The id that this hash stands for, or null.
  const std::string* Find(const TokenHash& hash) const;

  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    TokenHash hash;
    std::string id;
  };

  static absl::StatusOr<Entry> ParseLine(std::string_view line);

  std::vector<Entry> entries_;  // in the order of their hashes' first bytes
};

}  // namespace clearance::server
