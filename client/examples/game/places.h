// SPDX-License-Identifier: Apache-2.0
//
// Where the authority has the players, whatever their clients claim.

#ifndef CLEARANCE_CLIENT_EXAMPLES_GAME_PLACES_H_
#define CLEARANCE_CLIENT_EXAMPLES_GAME_PLACES_H_

#include <vector>

#include "absl/types/span.h"
#include "match.h"

namespace game {

class Places {
 public:
  // As a tick begins, each player stands where they claim to; who claims no place, or one too far
  // away to place anything at, stands where they were accepted last (at first: at the origin). One
  // bad place in a message has all of it refused, and everybody's shots would have no world.
  const std::vector<Vec3>& Begin(absl::Span<const Way> claims);
  // Who was accepted has moved.
  void Settle(absl::Span<const Way> claims, absl::Span<const Verdict> verdicts);

 private:
  std::vector<Vec3> places_;  // of each player
};

}  // namespace game

#endif  // CLEARANCE_CLIENT_EXAMPLES_GAME_PLACES_H_
