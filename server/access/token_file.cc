// SPDX-License-Identifier: Apache-2.0

#include "server/access/token_file.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/guard/caller.h"

namespace clearance::server {
namespace {

constexpr std::string_view kTokenPrefix = "clearance_";
constexpr std::size_t kRandomCharacters = 43;  // base64url without padding
constexpr std::string_view kHashPrefix = "sha256:";

bool IsBase64Url(unsigned char c) { return absl::ascii_isalnum(c) || c == '-' || c == '_'; }

bool IsToken(std::string_view text) {
  return text.size() == kTokenPrefix.size() + kRandomCharacters && text.starts_with(kTokenPrefix) &&
         std::ranges::all_of(text.substr(kTokenPrefix.size()), IsBase64Url);
}

absl::string_view AsText(const std::array<std::uint8_t, 32>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

absl::Status At(int line, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat("line ", line, ": ", message));
}

absl::StatusOr<std::pair<TokenHash, std::string>> ParseLine(absl::string_view line) {
  const std::vector<absl::string_view> words =
      absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  if (words.size() != 2) {
    return absl::InvalidArgumentError(
        "must be `ID sha256:HEX`; clearance-server --new_token=ID makes such a line");
  }
  const std::string id(words[0]);
  if (!IsPrincipalId(id)) {
    return absl::InvalidArgumentError("the id must be 1 to 64 characters of [a-z0-9][a-z0-9._-]*");
  }
  const auto hash = ParseTokenHash({words[1].data(), words[1].size()});
  if (!hash.has_value()) {
    return absl::InvalidArgumentError(
        "the second word must be sha256: and 64 digits of 0-9 and a-f, never the token itself");
  }
  return std::pair(*hash, id);
}

}  // namespace

absl::StatusOr<std::string> MakeToken() {
  std::array<std::uint8_t, 32> random;
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) {
    return absl::UnavailableError("the system gives no random numbers");
  }
  return std::string(kTokenPrefix) + absl::WebSafeBase64Escape(AsText(random));
}

std::optional<TokenHash> HashOfToken(std::string_view text) {
  if (!IsToken(text)) return std::nullopt;
  TokenHash hash;
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), hash.data(), &size, EVP_sha256(), nullptr);
  return hash;
}

bool AreEqual(const TokenHash& a, const TokenHash& b) {
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string FormatTokenHash(const TokenHash& hash) {
  return std::string(kHashPrefix) + absl::BytesToHexString(AsText(hash));
}

std::optional<TokenHash> ParseTokenHash(std::string_view text) {
  if (!text.starts_with(kHashPrefix)) return std::nullopt;
  text.remove_prefix(kHashPrefix.size());
  TokenHash hash;
  const bool is_hex = text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (text.size() != 2 * hash.size() || !is_hex) return std::nullopt;
  const std::string bytes = absl::HexStringToBytes(absl::string_view(text.data(), text.size()));
  std::copy(bytes.begin(), bytes.end(), hash.begin());
  return hash;
}

absl::StatusOr<TokenTable> TokenTable::Parse(std::string_view text) {
  TokenTable table;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(absl::string_view(text.data(), text.size()), '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line.front() == '#') continue;
    const auto entry = ParseLine(line);
    if (!entry.ok()) return At(number, entry.status().message());
    if (table.size() == kMaxTokens) {
      return At(number, absl::StrCat("the file has more than ", kMaxTokens, " tokens"));
    }
    const auto [same, is_new] = table.ids_.insert(*entry);
    if (!is_new) {
      return absl::InvalidArgumentError(
          absl::StrCat("one token stands there twice, for ", same->second, " and ", entry->second));
    }
  }
  return table;
}

}  // namespace clearance::server
