// SPDX-License-Identifier: Apache-2.0
//
// Pages of listings, and of a scene's bodies.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/registry/page_token.h"

namespace clearance::server {

// INVALID_ARGUMENT naming `page_size` if it is negative.
absl::Status CheckPageSize(int size);

// Returns the page of names that the request of a listing asks for.
template <class Names, class Request>
auto ListPage(const Names& names, const Request& request) -> decltype(names.List("", "", 0)) {
  constexpr int kDefaultSize = 100;
  constexpr int kMostNames = 1000;
  if (absl::Status status = CheckPageSize(request.page_size()); !status.ok()) return status;
  absl::StatusOr<std::string> after = std::string();
  if (!request.page_token().empty()) after = ParsePageToken(request.page_token(), request.prefix());
  if (!after.ok()) return after.status();
  const int size = request.page_size() == 0 ? kDefaultSize : request.page_size();
  return names.List(request.prefix(), *after, static_cast<std::size_t>(std::min(size, kMostNames)));
}

// The start of the next page of a scene's bodies: the etag of the revision that the pages show, and
// the first id of the page.
struct ScenePage {
  std::uint64_t incarnation = 0;
  std::uint64_t revision = 0;
  std::uint64_t first_id = 0;
};

std::string MakeScenePageToken(const ScenePage& page);
// INVALID_ARGUMENT naming `page_token`.
absl::StatusOr<ScenePage> ParseScenePageToken(std::string_view token);

}  // namespace clearance::server
