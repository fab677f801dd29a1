// SPDX-License-Identifier: Apache-2.0
//
// Tells which optional parts this build has. Only for targets that define the two macros.

#pragma once

namespace clearance::server {

inline constexpr bool kHasFence = CLEARANCE_HAS_FENCE;
inline constexpr bool kHasEtcd = CLEARANCE_HAS_ETCD;

}  // namespace clearance::server
