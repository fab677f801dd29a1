// SPDX-License-Identifier: Apache-2.0
//
// Bearer tokens: `clearance_` and 43 characters of base64url, which are 256 random bits. The server
// keeps only the SHA-256 of a token. No slow hash is needed: slow hashes protect passwords that
// people choose and others can guess, and 256 random bits cannot be guessed. A slow one would let
// strangers waste the server's time with every call. That is why only tokens of this form are ever
// looked up: a password that was hashed into the token file does not work.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"

namespace clearance::server {

using TokenHash = std::array<std::uint8_t, 32>;

// Returns a new token from OpenSSL's random numbers. UNAVAILABLE if the system has none.
absl::StatusOr<std::string> MakeToken();

// Returns the hash of a token, or nullopt if the text does not have the form of one.
std::optional<TokenHash> HashOfToken(std::string_view text);

// Compares in a time that does not depend on the place of a difference.
bool AreEqual(const TokenHash& a, const TokenHash& b);

// Returns "sha256:" and 64 digits of 0-9 and a-f.
std::string FormatTokenHash(const TokenHash& hash);
std::optional<TokenHash> ParseTokenHash(std::string_view text);

// Lines beyond these are refused.
inline constexpr std::size_t kMaxTokens = 10'000;

// The file of token hashes: one `ID sha256:HEX` a line, empty lines, and lines that start with `#`.
// An id may have several lines, which is how its token is changed without a gap. Errors name the
// line and never show it: somebody may have put the token itself there. Thread-compatible.
class TokenTable {
 public:
  // INVALID_ARGUMENT naming the line.
  static absl::StatusOr<TokenTable> Parse(std::string_view text);

  // The id that this hash stands for, or null.
  const std::string* Find(const TokenHash& hash) const {
    const auto found = ids_.find(hash);
    return found == ids_.end() ? nullptr : &found->second;
  }

  std::size_t size() const { return ids_.size(); }

 private:
  struct Equal {
    bool operator()(const TokenHash& a, const TokenHash& b) const { return AreEqual(a, b); }
  };

  // The time of a look-up depends on the place of the hash alone, which reveals nothing: the hash
  // of a token cannot be steered towards another one.
  absl::flat_hash_map<TokenHash, std::string, absl::Hash<TokenHash>, Equal> ids_;
};

}  // namespace clearance::server
