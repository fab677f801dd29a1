// SPDX-License-Identifier: Apache-2.0
//
// The policy file: who may come in, and how much of the server each may take. JSON:
//
//     {"principals": {
//       "planner": {
//         "role": "register",                        query, register or admin
//         "certificates": ["planner.example.org"],   subject alternative names of certificates;
//                                                    of a certificate without any, its
//                                                    common name
//         "prefixes": ["arm/", "scene/"],            names of shapes it may reach; left out: all
//         "limits": {"sessions": 8, "cores": 0.5,    left out: the server's own only
//                    "shapes": 1000, "registry_bytes": 67108864,    left out: what the
//                    "scenes": 10, "scene_bytes": 67108864}         flags give everybody
//       }
//     }}
//
// The name of a principal is also the id that its lines in the token file have.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "server/guard/caller.h"

namespace clearance::server {

// Principals beyond these are refused.
inline constexpr std::size_t kMaxPrincipals = 10'000;

// Immutable. The principals have no usage yet.
class Policy {
 public:
  // INVALID_ARGUMENT naming line and column, or the field by its path. Principals have the
  // limits that `defaults` say where the text does not.
  static absl::StatusOr<Policy> Parse(std::string_view text, const PrincipalLimits& defaults = {});

  const std::vector<Principal>& principals() const { return principals_; }
  bool has_certificates() const { return !id_by_certificate_.empty(); }
  // The id of the principal whose certificate has this name, or null.
  const std::string* FindByCertificate(std::string_view name) const {
    const auto found = id_by_certificate_.find(absl::string_view(name.data(), name.size()));
    return found == id_by_certificate_.end() ? nullptr : &found->second;
  }

 private:
  std::vector<Principal> principals_;
  absl::flat_hash_map<std::string, std::string> id_by_certificate_;
};

}  // namespace clearance::server
