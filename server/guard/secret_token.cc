// SPDX-License-Identifier: Apache-2.0

#include "server/guard/secret_token.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"

namespace clearance::server {
namespace {

constexpr std::string_view kTokenPrefix = "clearance_";
constexpr std::size_t kRandomBytes = 32;
constexpr std::size_t kRandomCharacters = 43;  // base64url without padding
constexpr std::string_view kHashPrefix = "sha256:";

bool IsBase64Url(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '_';
}

bool IsLowerHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

bool IsToken(std::string_view text) {
  return text.size() == kTokenPrefix.size() + kRandomCharacters && text.starts_with(kTokenPrefix) &&
         std::all_of(text.begin() + kTokenPrefix.size(), text.end(), IsBase64Url);
}

absl::string_view AsBytes(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

absl::StatusOr<std::string> MakeToken() {
  std::array<std::uint8_t, kRandomBytes> random;
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) {
    return absl::UnavailableError("the system gives no random numbers");
  }
  return std::string(kTokenPrefix) +
         absl::WebSafeBase64Escape(AsBytes(random.data(), random.size()));
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
  return std::string(kHashPrefix) + absl::BytesToHexString(AsBytes(hash.data(), hash.size()));
}

std::optional<TokenHash> ParseTokenHash(std::string_view text) {
  if (!text.starts_with(kHashPrefix)) return std::nullopt;
  text.remove_prefix(kHashPrefix.size());
  TokenHash hash;
  if (text.size() != 2 * hash.size() || !std::all_of(text.begin(), text.end(), IsLowerHex)) {
    return std::nullopt;
  }
  const std::string bytes = absl::HexStringToBytes(absl::string_view(text.data(), text.size()));
  std::copy(bytes.begin(), bytes.end(), hash.begin());
  return hash;
}

}  // namespace clearance::server
