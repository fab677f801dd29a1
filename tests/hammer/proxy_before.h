// SPDX-License-Identifier: Apache-2.0
//
// A proxy of docker/proxy in front of a server, for clients that it has let in: without its TLS,
// which would keep strangers out altogether, and with all its limits.

#pragma once

#include <memory>
#include <string>

#include "tests/integration/process/server_process.h"

namespace clearance::test {

class ProxyBefore {
 public:
  // `program` is haproxy or nginx. Takes connections when it returns; throws std::runtime_error if
  // it ends before.
  ProxyBefore(const ServerProcess& server, const std::string& program);

  int port() const { return port_; }

 private:
  TemporaryDirectory directory_;
  const int port_;
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace clearance::test
