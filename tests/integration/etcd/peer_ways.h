// SPDX-License-Identifier: Apache-2.0
//
// The connections between the members of an etcd cluster: each member speaks to the others, and
// they to it, through its own proxy. If that is stopped, the member is alone, but clients reach it
// as before. A parted network has this effect on the smaller side; a silent process does not.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tests/integration/etcd/stoppable_proxy.h"

namespace clearance::test {

class PeerWays {
 public:
  // The loopback ports of one member.
  struct Ports {
    int listening;  // where it listens to the others
    int told;       // where the others believe it to listen
    int outward;    // where it reaches the others
  };

  explicit PeerWays(const std::vector<Ports>& members);

  // Returns the URL by which others know a member.
  static std::string Told(const Ports& member);
  // Returns NAME=VALUE of a member's environment.
  static std::string Outward(const Ports& member);

  void Part(std::size_t member) { proxies_[member]->Stop(); }
  void Join(std::size_t member) { proxies_[member]->Continue(); }

 private:
  std::vector<std::unique_ptr<StoppableProxy>> proxies_;
};

}  // namespace clearance::test
