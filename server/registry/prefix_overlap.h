// SPDX-License-Identifier: Apache-2.0
//
// The part of a listing that is visible to a caller with only some prefixes.

#ifndef CLEARANCE_SERVER_REGISTRY_PREFIX_OVERLAP_H_
#define CLEARANCE_SERVER_REGISTRY_PREFIX_OVERLAP_H_

#include <string>
#include <string_view>
#include <vector>

namespace clearance::server {

// Returns the prefixes to list, in their order, for a caller that asks for `wanted` and may reach
// `allowed`. Those are sorted, and none begins with another.
inline std::vector<std::string_view> PrefixOverlap(std::string_view wanted,
                                                   const std::vector<std::string>& allowed) {
  std::vector<std::string_view> overlap;
  for (const std::string_view prefix : allowed) {
    if (wanted.starts_with(prefix)) return {wanted};
    if (prefix.starts_with(wanted)) overlap.push_back(prefix);
  }
  return overlap;
}

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_REGISTRY_PREFIX_OVERLAP_H_
