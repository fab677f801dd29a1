// SPDX-License-Identifier: Apache-2.0
//
// Three servers on three members of etcd, and what is done to them.

#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "tests/fleet/cut.h"
#include "tests/fleet/gaps.h"
#include "tests/fleet/sites.h"
#include "tests/integration/etcd/etcd_cluster.h"
#include "tests/integration/process/users.h"

namespace clearance::fleet {

class Processes {
 public:
  static constexpr std::size_t kMembers = 3;
  static constexpr std::size_t kServers = 3;

  Processes();

  Sites* sites() { return &sites_; }
  std::deque<test::RestartedServer>* servers() { return &servers_; }
  // Of all servers, as a client takes them.
  std::string addresses() const;

  // Harms a process, and has it back in full before it returns.
  struct Harm {
    const char* kind;
    void (Processes::*way)(std::size_t index);
  };
  static const std::vector<Harm>& Kills();      // -9, one or two
  static const std::vector<Harm>& Stoppages();  // otherwise
  // How long servers that were killed took to serve again, once they were started.
  Times starts() const { return TimesOf(starts_); }
  void Do(const Harm& harm, std::size_t index) { (this->*harm.way)(index); }

 private:
  void KillServer(std::size_t index);
  void KillMember(std::size_t index);
  void KillBoth(std::size_t index);
  void SilenceMember(std::size_t index);
  void SilenceServer(std::size_t index);
  void CutOffServer(std::size_t index);
  void PartMember(std::size_t index);
  void StartAgain(std::size_t index);
  void AwaitQuorum() const;

  test::EtcdCluster etcd_;
  std::vector<std::unique_ptr<Cut>> cuts_;  // one for each server
  std::deque<test::RestartedServer> servers_;
  Sites sites_;
  std::vector<double> starts_;  // seconds
};

}  // namespace clearance::fleet
