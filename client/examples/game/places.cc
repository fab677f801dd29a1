// SPDX-License-Identifier: Apache-2.0
#include "places.h"

#include <cmath>

namespace game {
namespace {

// From the origin, along an axis. The server takes what lies, with its size, within an eighth of
// the largest double, 1.8e308.
constexpr double kFarthest = 1e300;

// False for NaN too.
bool IsPlace(const Vec3& place) {
  return std::fabs(place.x) <= kFarthest && std::fabs(place.y) <= kFarthest &&
         std::fabs(place.z) <= kFarthest;
}

}  // namespace

const std::vector<Vec3>& Places::Begin(absl::Span<const Way> claims) {
  places_.resize(claims.size());
  for (std::size_t player = 0; player < claims.size(); ++player) {
    if (IsPlace(claims[player].from)) places_[player] = claims[player].from;
  }
  return places_;
}

void Places::Settle(absl::Span<const Way> claims, absl::Span<const Verdict> verdicts) {
  for (std::size_t player = 0; player < verdicts.size(); ++player) {
    const Vec3 end = claims[player].from + claims[player].move;
    if (verdicts[player].is_accepted() && IsPlace(end)) places_[player] = end;
  }
}

}  // namespace game
