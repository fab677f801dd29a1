// SPDX-License-Identifier: Apache-2.0
//
// The attacks that a server is tried with: ./dev attack and ./dev hammer attack.

#ifndef CLEARANCE_TESTS_HAMMER_ATTACKS_H_
#define CLEARANCE_TESTS_HAMMER_ATTACKS_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

namespace clearance::test {

using AttackClock = std::chrono::steady_clock;

// Who stands against an attack.
enum class Fence {
  kServer,  // honest clients hardly notice it
  kBoth,    // the server keeps its memory and answers everybody; that nobody waits takes a proxy
  kProxy,   // the server lives; the rest takes a proxy (docker/proxy)
};

struct Attack {
  const char* name;
  Fence fence;
  // Attacks this port of the loopback until then, from kAttacker and addresses next to it. Says how
  // many connections it made.
  std::function<int(int port, AttackClock::time_point end)> run;
  // Whether the honest client asks in a session, not call by call.
  bool is_beside_session = false;
  // How many descriptors the server has left when it begins; 0: as many as it likes.
  std::size_t spare_descriptors = 0;
  // What the server may hold; where a proxy has to fence it and is not there, twice as much.
  double most_bytes = 1.5e9;
};

std::vector<Attack> Attacks();

}  // namespace clearance::test

#endif  // CLEARANCE_TESTS_HAMMER_ATTACKS_H_
