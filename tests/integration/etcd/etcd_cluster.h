// SPDX-License-Identifier: Apache-2.0
//
// A cluster of real etcd members on the loopback, in a folder that is removed with it.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/config/server_config.h"
#include "tests/integration/etcd/peer_ways.h"
#include "tests/integration/process/server_process.h"
#include "tests/support/optional_program.h"

namespace clearance::test {

class EtcdCluster {
 public:
  // Serves once it is constructed; throws std::runtime_error if a member does not start. `flags`
  // are further flags of each member.
  explicit EtcdCluster(int members = 1, std::vector<std::string> flags = {},
                       std::string scheme = "http");
  // Several members that can be parted; needs haproxy.
  enum class Ways { kThatPart };
  EtcdCluster(int members, Ways ways);

  // host:port of each member.
  const std::vector<std::string>& endpoints() const { return endpoints_; }
  // --store=etcd://…
  std::string StoreFlag() const;
  server::EtcdConfig Config() const;

  void Kill(std::size_t member);  // -9
  void Start(std::size_t member);
  void Signal(std::size_t member, int signal) { members_[member]->Signal(signal); }
  // Clients still reach a parted member; other members do not.
  void Part(std::size_t member) { ways_->Part(member); }
  void Join(std::size_t member) { ways_->Join(member); }
  // Waits until the cluster answers a linearizable read; returns false if it does not for a minute.
  [[nodiscard]] bool AwaitQuorum() const;

  // Runs etcdctl against all members; returns its output. A failure fails the test.
  std::string Control(std::vector<std::string> arguments) const;

 private:
  void StartAll();
  std::vector<std::string> CommandOf(std::size_t member) const;

  const std::vector<std::string> flags_;
  const std::string scheme_;
  TemporaryDirectory directory_;
  // One item for each member:
  std::vector<std::string> endpoints_;
  std::vector<std::string> listening_;    // the URL on which it listens to the others
  std::vector<std::string> told_;         // NAME=URL, by which the others know it
  std::vector<std::string> environment_;  // NAME=VALUE; of all or none
  std::unique_ptr<PeerWays> ways_;        // or null
  std::vector<std::unique_ptr<ChildProcess>> members_;
};

// Skips the test if there is no etcd.
#define CLEARANCE_REQUIRE_ETCD() CLEARANCE_REQUIRE_PROGRAMS("etcd", "etcdctl")

}  // namespace clearance::test
