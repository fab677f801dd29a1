// SPDX-License-Identifier: Apache-2.0
//
// Three servers on three members of etcd, and what is done to them.

#ifndef CLEARANCE_TESTS_FLEET_PROCESSES_H_
#define CLEARANCE_TESTS_FLEET_PROCESSES_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "tests/fleet/cut.h"
#include "tests/fleet/sites.h"
#include "tests/integration/etcd/etcd_cluster.h"
#include "tests/integration/process/users.h"

namespace clearance::fleet {

class Processes {
 public:
  static constexpr std::size_t kMembers = 3;
  static constexpr std::size_t kServers = 3;

  static bool ArePossible();

  Processes();

  Sites* sites() { return &sites_; }
  std::deque<test::RestartedServer>* servers() { return &servers_; }
  // Of all servers, as a client takes them.
  std::string addresses() const;

  // Harms a process, and has it back in full before it returns: what was done. By the number the
  // kinds take turns, of each of the processes in turn.
  const char* Kill(int number);     // -9, one or two
  const char* Disturb(int number);  // otherwise

 private:
  using Way = const char* (Processes::*)(std::size_t index);
  const char* KillServer(std::size_t index);
  const char* KillMember(std::size_t index);
  const char* SilenceMember(std::size_t index);
  const char* SilenceServer(std::size_t index);
  const char* KillBoth(std::size_t index);
  const char* CutOffServer(std::size_t index);
  const char* PartMember(std::size_t index);
  void StartAgain(std::size_t index);
  void AwaitQuorum() const;

  test::EtcdCluster etcd_;
  std::vector<std::unique_ptr<Cut>> cuts_;  // one for each server
  std::deque<test::RestartedServer> servers_;
  Sites sites_;
};

}  // namespace clearance::fleet

#endif  // CLEARANCE_TESTS_FLEET_PROCESSES_H_
