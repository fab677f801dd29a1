// SPDX-License-Identifier: Apache-2.0

#include "server/registry/digest.h"

#include <openssl/evp.h>

#include <array>

#include "absl/strings/escaping.h"
#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

constexpr std::string_view kPrefix = "v1-sha256-";
constexpr std::size_t kHexDigits = 64;

}  // namespace

std::string CanonicalContent::Digest() const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash;
  unsigned int size = 0;
  EVP_Digest(bytes_.data(), bytes_.size(), hash.data(), &size, EVP_sha256(), nullptr);
  const absl::string_view raw(reinterpret_cast<const char*>(hash.data()), size);
  return std::string(kPrefix) + absl::BytesToHexString(raw);
}

absl::Status CheckDigest(std::string_view digest, std::string_view field) {
  const bool has_form =
      digest.size() == kPrefix.size() + kHexDigits && digest.starts_with(kPrefix) &&
      digest.find_first_not_of("0123456789abcdef", kPrefix.size()) == std::string_view::npos;
  if (has_form) return absl::OkStatus();
  return Refuse(absl::StatusCode::kInvalidArgument,
                {.reason = Reason::kDigestInvalid,
                 .field = std::string(field),
                 .value = std::string(digest),
                 .limit = "v1-sha256- and 64 digits of 0-9 and a-f",
                 .message = "invalid digest: use one that a registration returned"});
}

}  // namespace clearance::server
