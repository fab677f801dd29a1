// SPDX-License-Identifier: Apache-2.0
//
// haproxy, and what parts a network: the process is stopped. Connections through it stay, and
// nothing passes.

#pragma once

#include <csignal>
#include <memory>
#include <string>

#include "tests/integration/process/server_process.h"

namespace clearance::test {

class StoppableProxy {
 public:
  // Serves once it is made. `sections` of a configuration follow defaults of the mode `tcp`; one of
  // them binds `port` of the loopback. Throws std::runtime_error if haproxy does not start.
  StoppableProxy(const std::string& sections, int port);

  void Stop() { process_->Signal(SIGSTOP); }
  void Continue() { process_->Signal(SIGCONT); }

 private:
  TemporaryDirectory directory_;
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace clearance::test
