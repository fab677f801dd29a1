// SPDX-License-Identifier: Apache-2.0

#include "server/registry/digest.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "absl/strings/escaping.h"
#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are appended as they lie in memory");

constexpr std::string_view kPrefix = "v1-sha256-";
constexpr std::size_t kHexDigits = 64;

template <class T>
void Append(absl::Span<const T> values, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

bool IsHexDigit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

}  // namespace

CanonicalContent::CanonicalContent(std::uint8_t kind, double radius) { AddKind(kind, radius); }

void CanonicalContent::AddKind(std::uint8_t kind, double radius) {
  bytes_.push_back(static_cast<char>(kind));
  Add(radius);
}

void CanonicalContent::Add(double number) { Append(absl::MakeConstSpan(&number, 1), &bytes_); }

void CanonicalContent::AddCount(std::uint64_t count) {
  Append(absl::MakeConstSpan(&count, 1), &bytes_);
}

void CanonicalContent::AddList(absl::Span<const double> numbers) {
  AddCount(numbers.size());
  Append(numbers, &bytes_);
}

void CanonicalContent::AddList(absl::Span<const std::uint32_t> indices) {
  AddCount(indices.size());
  Append(indices, &bytes_);
}

std::string CanonicalContent::Digest() const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash;
  unsigned int size = 0;
  EVP_Digest(bytes_.data(), bytes_.size(), hash.data(), &size, EVP_sha256(), nullptr);
  const absl::string_view raw(reinterpret_cast<const char*>(hash.data()), size);
  return std::string(kPrefix) + absl::BytesToHexString(raw);
}

absl::Status CheckDigest(std::string_view digest, std::string_view field) {
  const bool has_form = digest.size() == kPrefix.size() + kHexDigits &&
                        digest.starts_with(kPrefix) &&
                        std::all_of(digest.begin() + kPrefix.size(), digest.end(), IsHexDigit);
  if (has_form) return absl::OkStatus();
  return Refuse(absl::StatusCode::kInvalidArgument,
                {.reason = Reason::kDigestInvalid,
                 .field = std::string(field),
                 .value = std::string(digest),
                 .limit = "v1-sha256- and 64 digits of 0-9 and a-f",
                 .message = "invalid digest: use one that a registration returned"});
}

}  // namespace clearance::server
