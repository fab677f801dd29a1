// SPDX-License-Identifier: Apache-2.0
//
// What a store is asked in the fault tests: a fixed sequence of registrations, replacements and
// deletions of shapes, and of creations, changes and deletions of scenes, alone and together, and
// what the names have after any part of it.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "server/registry/registry.h"
#include "server/registry/scene_registry.h"
#include "server/storage/shape_ledger.h"

namespace clearance::hammer {

// What goes into the ledger at once. Of a change of a scene it says the kind, the name and the
// record; Bound says the rest.
using Order = std::vector<server::ShapeChange>;

// What a server has in memory.
struct Memory {
  server::Registry registry{{}, nullptr};
  server::SceneRegistry scenes{{}, nullptr};
};

// As the service makes the order's changes of scenes of those that there are now.
Order Bound(const Order& order, server::SceneRegistry* scenes);

// Two lives of a server, so that the second begins with what the first left. Hulls of 4 to 600
// points. The same at every call.
std::vector<std::vector<Order>> MakeStory();

// An order that changes any state that the story leads to.
Order Afterword();

// Names with their digests and revisions, the registry's revision, and scenes.
struct State {
  struct Named {
    std::string digest;
    std::uint64_t revision = 0;
    bool operator==(const Named&) const = default;
  };
  struct NamedScene {
    std::string whole;  // as of SerializeWhole
    std::uint64_t revision = 0;
    bool operator==(const NamedScene&) const = default;
  };
  std::map<std::string, Named> names;
  std::map<std::string, NamedScene> scenes;
  std::uint64_t revision = 0;

  bool operator==(const State&) const = default;
};

State StateOf(const Memory& memory);

// What the order makes of the state where all of it is done.
State After(const State& state, const Order& order);

// "" where every content of a name has, bit for bit, what the story registered under its
// digest.
std::string FaultOfContents(const Memory& memory);

}  // namespace clearance::hammer
