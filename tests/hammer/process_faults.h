// SPDX-License-Identifier: Apache-2.0
//
// What can happen to a whole server while it works.

#pragma once

#include <memory>
#include <string>

#include "tests/integration/process/server_process.h"

namespace clearance::hammer {

class ProcessFault {
 public:
  virtual ~ProcessFault() = default;
  // Whether this machine and user can do it; the data of a server is in `data_dir`, not made yet.
  virtual bool Prepare(const std::string& data_dir) = 0;
  virtual void Begin(const test::ServerProcess& server) = 0;
  // Not called where no server outlives it.
  virtual void End(const test::ServerProcess& server) = 0;
  // Whether a server goes on once it is over.
  virtual bool is_survived() const = 0;
};

// kill: SIGKILL. stop: SIGSTOP until SIGCONT. descriptors: none is free. memory: none more is
// given. disk: it is full. Null: no such kind.
std::unique_ptr<ProcessFault> MakeProcessFault(const std::string& kind);

}  // namespace clearance::hammer
