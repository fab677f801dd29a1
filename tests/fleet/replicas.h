// SPDX-License-Identifier: Apache-2.0
//
// Servers that share a registry of their own, and what they and its etcd have used so far.

#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "clearance/v1/shape.pb.h"
#include "tests/integration/etcd/etcd_cluster.h"
#include "tests/integration/process/server_process.h"

namespace clearance::fleet {

// Thread-compatible. Throws std::runtime_error where a server does not do as it should.
class Replicas {
 public:
  // On a member of etcd that has no other users.
  explicit Replicas(std::size_t count);

  std::size_t size() const { return servers_.size(); }
  std::string addresses() const;  // ipv4:host:port,…

  // Through the first replica, as "shape-0", …. Returns when every replica has all.
  void Register(const std::vector<v1::Shape>& shapes);

  double ProcessorSeconds() const;  // of all
  double ResidentBytes() const;     // of all
  std::vector<double> SessionsOfEach() const;

  // Since etcd began.
  double BytesSentByEtcd() const;
  double ReadsOfEtcd() const;

 private:
  double MetricOfEtcd(const std::string& series) const;

  test::EtcdCluster etcd_;
  std::deque<test::ServerProcess> servers_;
};

}  // namespace clearance::fleet
