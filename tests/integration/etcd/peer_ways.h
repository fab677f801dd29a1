// SPDX-License-Identifier: Apache-2.0
//
// The ways between the members of an etcd cluster: each member speaks to the others, and they to
// it, through a proxy of its own. Where that is stopped the member is alone, and clients reach it
// as before: what a parted network does to the lesser side, and a silent process does not.

#ifndef CLEARANCE_TESTS_INTEGRATION_ETCD_PEER_WAYS_H_
#define CLEARANCE_TESTS_INTEGRATION_ETCD_PEER_WAYS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tests/integration/etcd/stoppable_proxy.h"

namespace clearance::test {

class PeerWays {
 public:
  // Of the loopback; those of one member.
  struct Ports {
    int listening;  // where it takes what others say
    int told;       // where others believe that to be
    int outward;    // where it says what it says
  };

  explicit PeerWays(const std::vector<Ports>& members);

  // The URL that others know a member by.
  static std::string Told(const Ports& member);
  // NAME=VALUE of a member's environment.
  static std::string Outward(const Ports& member);

  void Part(std::size_t member) { proxies_[member]->Stop(); }
  void Join(std::size_t member) { proxies_[member]->Continue(); }

 private:
  std::vector<std::unique_ptr<StoppableProxy>> proxies_;
};

}  // namespace clearance::test

#endif  // CLEARANCE_TESTS_INTEGRATION_ETCD_PEER_WAYS_H_
