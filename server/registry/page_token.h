// SPDX-License-Identifier: Apache-2.0
//
// Where the next page of a listing begins, as a text that clients hand back without looking into
// it. It carries the prefix that was listed and the last name shown, so a page goes on rightly
// whatever was registered or deleted meanwhile, on any replica.

#ifndef CLEARANCE_SERVER_REGISTRY_PAGE_TOKEN_H_
#define CLEARANCE_SERVER_REGISTRY_PAGE_TOKEN_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace clearance::server {

std::string MakePageToken(std::string_view prefix, std::string_view last_name);

// The last name shown. INVALID_ARGUMENT naming `page_token` where the token is none of
// MakePageToken's for this prefix.
absl::StatusOr<std::string> ParsePageToken(std::string_view token, std::string_view prefix);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_REGISTRY_PAGE_TOKEN_H_
