// SPDX-License-Identifier: Apache-2.0
//
// Defaults of columns that are absent.

#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "server/engine/rows.h"

namespace clearance::server {

inline constexpr std::array<double, kPoseNumbers> kAtOrigin = {0, 0, 0, 0, 0, 0, 1};
inline constexpr std::uint32_t kFirstSlot = 0;
inline constexpr std::uint32_t kDefaultGroups = 1;
inline constexpr std::uint32_t kAllGroups = std::numeric_limits<std::uint32_t>::max();
inline constexpr double kNoMargin = 0;
inline constexpr double kAnyDistance = std::numeric_limits<double>::infinity();
inline constexpr std::array<double, kVectorNumbers> kNowhere = {0, 0, 0};

}  // namespace clearance::server
