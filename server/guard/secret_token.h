// SPDX-License-Identifier: Apache-2.0
//
// Bearer tokens: `clearance_` and 43 characters of base64url, which are 256 random bits. The server
// keeps the SHA-256 of a token only. No slow hash is needed: what makes those necessary is that
// people choose passwords that can be guessed, and nobody guesses 256 random bits; a slow one would
// let strangers burn the server's time with every call. That is why only tokens of this form are
// ever looked up: a password that somebody hashed into the token file does not work.

#ifndef CLEARANCE_SERVER_GUARD_SECRET_TOKEN_H_
#define CLEARANCE_SERVER_GUARD_SECRET_TOKEN_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace clearance::server {

using TokenHash = std::array<std::uint8_t, 32>;

// A new token, of OpenSSL's random numbers. UNAVAILABLE where the system has none.
absl::StatusOr<std::string> MakeToken();

// The hash of a token, or nullopt where the text has not the form of one.
std::optional<TokenHash> HashOfToken(std::string_view text);

// In a time that does not depend on where they differ.
bool AreEqual(const TokenHash& a, const TokenHash& b);

// "sha256:" and 64 digits of 0-9 and a-f.
std::string FormatTokenHash(const TokenHash& hash);
std::optional<TokenHash> ParseTokenHash(std::string_view text);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_GUARD_SECRET_TOKEN_H_
