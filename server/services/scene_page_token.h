// SPDX-License-Identifier: Apache-2.0
//
// The start of the next page of a scene's bodies: the etag of the revision that the pages show, and
// the first id of the page.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace clearance::server {

struct ScenePage {
  std::uint64_t incarnation = 0;
  std::uint64_t revision = 0;
  std::uint64_t first_id = 0;
};

std::string MakeScenePageToken(const ScenePage& page);
// INVALID_ARGUMENT naming `page_token`.
absl::StatusOr<ScenePage> ParseScenePageToken(std::string_view token);

}  // namespace clearance::server
