// SPDX-License-Identifier: Apache-2.0

#include "server/registry/shape_name.h"

#include <openssl/evp.h>

#include <array>
#include <bit>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are appended as they lie");

constexpr std::size_t kMaxNameLength = 128;
constexpr std::string_view kDigestHead = "v1-sha256-";
constexpr std::size_t kDigestLength = kDigestHead.size() + 64;

// Not a character of names, so prefix and name cannot run together.
constexpr char kSeparator = '\n';

// Returns the text of a token; empty, as no token is, if there is none.
std::string PlainOf(std::string_view token) {
  std::string plain;
  absl::WebSafeBase64Unescape(absl::string_view(token.data(), token.size()), &plain);
  return plain;
}

absl::Status Invalid(std::string_view token, const std::string& origin, const std::string& what) {
  return RefuseArgument({.reason = Reason::kPageTokenInvalid,
                         .field = "page_token",
                         .value = std::string(token),
                         .limit = "a next_page_token of " + origin,
                         .message = "This server gave no such page token for this " + what +
                                    "; start again without one."});
}

}  // namespace

absl::Status CheckShapeName(std::string_view name, std::string_view field) {
  constexpr char kAllowed[] = "abcdefghijklmnopqrstuvwxyz0123456789._/-";
  const bool has_form = !name.empty() && name.size() <= kMaxNameLength &&
                        name.find_first_not_of(kAllowed) == std::string_view::npos &&
                        name.find_first_of("._/-") != 0;
  if (has_form) return absl::OkStatus();
  return RefuseArgument({.reason = Reason::kNameInvalid,
                         .field = std::string(field),
                         .value = std::string(name),
                         .limit = "1 to 128 characters of [a-z0-9][a-z0-9._/-]*",
                         .message = "invalid name: choose one of the allowed form"});
}

std::string CanonicalContent::Digest() const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash;
  unsigned int size = 0;
  EVP_Digest(bytes_.data(), bytes_.size(), hash.data(), &size, EVP_sha256(), nullptr);
  const absl::string_view raw(reinterpret_cast<const char*>(hash.data()), size);
  return std::string(kDigestHead) + absl::BytesToHexString(raw);
}

absl::Status CheckDigest(std::string_view digest, std::string_view field) {
  const std::size_t bad = digest.find_first_not_of("0123456789abcdef", kDigestHead.size());
  const bool has_form = digest.size() == kDigestLength && digest.starts_with(kDigestHead) &&
                        bad == std::string_view::npos;
  if (has_form) return absl::OkStatus();
  return RefuseArgument({.reason = Reason::kDigestInvalid,
                         .field = std::string(field),
                         .value = std::string(digest),
                         .limit = "v1-sha256- and 64 digits of 0-9 and a-f",
                         .message = "invalid digest: use one that a registration returned"});
}

std::string MakePageToken(std::string_view prefix, std::string_view last_name) {
  std::string plain(prefix);
  plain.push_back(kSeparator);
  plain.append(last_name);
  return absl::WebSafeBase64Escape(plain);
}

absl::StatusOr<std::string> ParsePageToken(std::string_view token, std::string_view prefix) {
  const std::string plain = PlainOf(token);
  if (const std::size_t separator = plain.find(kSeparator); separator != std::string::npos) {
    const std::string name = plain.substr(separator + 1);
    const bool is_of_listing = plain.substr(0, separator) == prefix && name.starts_with(prefix);
    if (is_of_listing && CheckShapeName(name, "").ok()) return name;
  }
  return Invalid(token, "a listing with the same prefix", "prefix");
}

std::string MakeScenePageToken(const ScenePage& page) {
  return absl::WebSafeBase64Escape(
      absl::StrCat(page.incarnation, " ", page.revision, " ", page.first_id));
}

absl::StatusOr<ScenePage> ParseScenePageToken(std::string_view token) {
  const std::string plain = PlainOf(token);
  const std::vector<absl::string_view> numbers = absl::StrSplit(plain, ' ');
  ScenePage page;
  const bool is_page = numbers.size() == 3 && absl::SimpleAtoi(numbers[0], &page.incarnation) &&
                       absl::SimpleAtoi(numbers[1], &page.revision) &&
                       absl::SimpleAtoi(numbers[2], &page.first_id) && page.revision > 0;
  if (is_page) return page;
  return Invalid(token, "this scene", "scene");
}

}  // namespace clearance::server
