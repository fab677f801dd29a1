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

  // Harms one process, and has it back in full before it returns. What was done: by the number the
  // kinds take turns.
  static constexpr int kKinds = 6;
  const char* Harm(int number);

  // In which so many of all commits of others were applied by the servers that live, once they knew
  // of them: the border of the metric's bucket, seconds.
  double LagOf(double share) const;

 private:
  const char* KillServer(std::size_t index);
  const char* KillMember(std::size_t index);
  const char* SilenceMember(std::size_t index);
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
