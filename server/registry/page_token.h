// SPDX-License-Identifier: Apache-2.0
//
// The start of the next page of a listing, as a text that is opaque to clients. It carries the
// listed prefix and the last name shown. So the next page is right on any replica, whatever was
// registered or deleted meanwhile.

#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace clearance::server {

std::string MakePageToken(std::string_view prefix, std::string_view last_name);

// Returns the last name shown. INVALID_ARGUMENT naming `page_token` if MakePageToken did not make
// the token for this prefix.
absl::StatusOr<std::string> ParsePageToken(std::string_view token, std::string_view prefix);

}  // namespace clearance::server
