// SPDX-License-Identifier: Apache-2.0
//
// The positions of the players as the authority has them, whatever their clients claim.

#pragma once

#include <vector>

#include "absl/types/span.h"
#include "match.h"

namespace game {

class Places {
 public:
  // As a tick begins, each player is at the claimed place. A player that claims no place, or one
  // too far away to place anything at, is at its last accepted place (at first: at the origin). One
  // bad place in a message has all of it refused, and then no shot would have a world.
  const std::vector<Vec3>& Begin(absl::Span<const Way> claims);
  // Moves the players whose claims were accepted.
  void Settle(absl::Span<const Way> claims, absl::Span<const Verdict> verdicts);

 private:
  std::vector<Vec3> places_;  // of each player
};

}  // namespace game
