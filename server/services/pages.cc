// SPDX-License-Identifier: Apache-2.0

#include "server/services/pages.h"

#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/guard/refusal.h"

namespace clearance::server {

absl::Status CheckPageSize(int size) {
  if (size >= 0) return absl::OkStatus();
  return RefuseArgument({.reason = Reason::kNumberOutOfRange,
                         .field = "page_size",
                         .value = std::to_string(size),
                         .limit = ">= 0",
                         .message = "A page has no negative size; 0 takes the default."});
}

std::string MakeScenePageToken(const ScenePage& page) {
  return absl::WebSafeBase64Escape(
      absl::StrCat(page.incarnation, " ", page.revision, " ", page.first_id));
}

absl::StatusOr<ScenePage> ParseScenePageToken(std::string_view token) {
  std::string plain;
  ScenePage page;
  if (absl::WebSafeBase64Unescape(absl::string_view(token.data(), token.size()), &plain)) {
    const std::vector<absl::string_view> numbers = absl::StrSplit(plain, ' ');
    const bool is_page = numbers.size() == 3 && absl::SimpleAtoi(numbers[0], &page.incarnation) &&
                         absl::SimpleAtoi(numbers[1], &page.revision) &&
                         absl::SimpleAtoi(numbers[2], &page.first_id) && page.revision > 0;
    if (is_page) return page;
  }
  return RefuseArgument(
      {.reason = Reason::kPageTokenInvalid,
       .field = "page_token",
       .value = std::string(token),
       .limit = "a next_page_token of this scene",
       .message = "This server gave no such page token for this scene; start again without one."});
}

}  // namespace clearance::server
