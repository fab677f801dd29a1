// SPDX-License-Identifier: Apache-2.0
//
// Tells which optional parts this build has. Only for targets that define the two macros.

#ifndef CLEARANCE_SERVER_CONFIG_BUILD_OPTIONS_H_
#define CLEARANCE_SERVER_CONFIG_BUILD_OPTIONS_H_

namespace clearance::server {

inline constexpr bool kHasFence = CLEARANCE_HAS_FENCE;
inline constexpr bool kHasEtcd = CLEARANCE_HAS_ETCD;

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_CONFIG_BUILD_OPTIONS_H_
