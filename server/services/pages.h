// SPDX-License-Identifier: Apache-2.0
//
// Pages of listings of shapes and scenes.

#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/registry/shape_name.h"

namespace clearance::server {

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

}  // namespace clearance::server
