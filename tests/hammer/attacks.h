// SPDX-License-Identifier: Apache-2.0
//
// The attacks that a server is tried with: ./dev attack and ./dev hammer attack.

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace clearance::test {

using AttackClock = std::chrono::steady_clock;

// Who stands against an attack.
enum class Fence {
  kServer,  // honest clients hardly notice it
  kBoth,    // the server keeps its memory and answers everybody; that nobody waits takes a proxy
  kProxy,   // the server lives; the rest takes a proxy (docker/proxy)
};

// The port of the loopback that is attacked, and by whom.
struct Target {
  int port = 0;
  std::string token = "";  // the attacker's; "": it has none
};

struct Attack {
  const char* name;
  Fence fence;
  // Attacks the target until then, from kAttacker and addresses next to it. Returns how many
  // connections it made.
  std::function<int(const Target& target, AttackClock::time_point end)> run;
  // Whether the honest client asks in a session, not call by call.
  bool is_beside_session = false;
  // How many descriptors the server has left when it begins; 0: as many as it likes.
  std::size_t spare_descriptors = 0;
  // What the server may hold; where a proxy must fence it and is not there, twice as much.
  double most_bytes = 1.5e9;
  // Whether the server asks who calls. The honest client has a token.
  bool has_policy = false;
  // The processor time that the policy gives the attacker, which has a token then, in cores. 0: it
  // has no token.
  double cores = 0;
};

std::vector<Attack> Attacks();

}  // namespace clearance::test
