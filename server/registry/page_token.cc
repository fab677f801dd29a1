// SPDX-License-Identifier: Apache-2.0

#include "server/registry/page_token.h"

#include <cstddef>

#include "absl/strings/escaping.h"
#include "server/guard/refusal.h"
#include "server/registry/shape_name.h"

namespace clearance::server {
namespace {

// Not a character of names, so prefix and name cannot run together.
constexpr char kSeparator = '\n';

}  // namespace

std::string MakePageToken(std::string_view prefix, std::string_view last_name) {
  std::string plain(prefix);
  plain.push_back(kSeparator);
  plain.append(last_name);
  return absl::WebSafeBase64Escape(absl::string_view(plain.data(), plain.size()));
}

absl::StatusOr<std::string> ParsePageToken(std::string_view token, std::string_view prefix) {
  std::string plain;
  const bool is_base64 =
      absl::WebSafeBase64Unescape(absl::string_view(token.data(), token.size()), &plain);
  const std::size_t separator = plain.find(kSeparator);
  if (is_base64 && separator != std::string::npos) {
    const std::string name = plain.substr(separator + 1);
    const bool is_of_listing =
        std::string_view(plain).substr(0, separator) == prefix && name.starts_with(prefix);
    if (is_of_listing && CheckShapeName(name, "").ok()) return name;
  }
  return Refuse(
      absl::StatusCode::kInvalidArgument,
      {.reason = Reason::kPageTokenInvalid,
       .field = "page_token",
       .value = std::string(token),
       .limit = "a next_page_token of a listing with the same prefix",
       .message = "This server gave no such page token for this prefix; start again without one."});
}

}  // namespace clearance::server
