// SPDX-License-Identifier: Apache-2.0
//
// The start of the next page, as a text that is opaque to clients. That of a listing carries the
// listed prefix and the last name shown. So the next page is right on any replica, whatever was
// registered or deleted meanwhile.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace clearance::server {

// INVALID_ARGUMENT naming `page_size` if it is negative.
absl::Status CheckPageSize(int size);

std::string MakePageToken(std::string_view prefix, std::string_view last_name);

// Returns the last name shown. INVALID_ARGUMENT naming `page_token` if MakePageToken did not make
// the token for this prefix.
absl::StatusOr<std::string> ParsePageToken(std::string_view token, std::string_view prefix);

// A page of a scene's bodies: the revision that all pages show, and the first id of the page.
struct ScenePage {
  std::uint64_t incarnation = 0;
  std::uint64_t revision = 0;
  std::uint64_t first_id = 0;
};

std::string MakeScenePageToken(const ScenePage& page);
// INVALID_ARGUMENT naming `page_token`.
absl::StatusOr<ScenePage> ParseScenePageToken(std::string_view token);

}  // namespace clearance::server
