// SPDX-License-Identifier: Apache-2.0
//
// What a store is asked in the fault tests: a fixed sequence of registrations, replacements and
// deletions, alone and together, and what the names have after any part of it.

#ifndef CLEARANCE_TESTS_HAMMER_STORY_H_
#define CLEARANCE_TESTS_HAMMER_STORY_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "server/registry/registry.h"
#include "server/storage/shape_ledger.h"

namespace clearance::hammer {

// What goes into the ledger at once.
using Order = std::vector<server::ShapeChange>;

// Two lives of a server, so that the second begins with what the first left. Hulls of 4 to 600
// points. The same at every call.
std::vector<std::vector<Order>> MakeStory();

// An order that changes any state that the story leads to.
Order Afterword();

// Names with their digests and revisions, and the registry's revision.
struct State {
  struct Named {
    std::string digest;
    std::uint64_t revision = 0;
    bool operator==(const Named&) const = default;
  };
  std::map<std::string, Named> names;
  std::uint64_t revision = 0;

  bool operator==(const State&) const = default;
};

State StateOf(const server::Registry& registry);

// What the order makes of the state where all of it is done.
State After(const State& state, const Order& order);

// "" where every content of the registry has, bit for bit, what the story registered under its
// digest.
std::string FaultOfContents(const server::Registry& registry);

}  // namespace clearance::hammer

#endif  // CLEARANCE_TESTS_HAMMER_STORY_H_
