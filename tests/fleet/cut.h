// SPDX-License-Identifier: Apache-2.0
//
// What one server reaches etcd through, and what cuts it off.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/integration/etcd/stoppable_proxy.h"

namespace clearance::fleet {

class Cut {
 public:
  // Passes on to these, host:port, until it is told otherwise.
  explicit Cut(const std::vector<std::string>& members);

  // --store=etcd://…
  std::string StoreFlag() const;

  void CutOff();
  void Join();

 private:
  std::vector<std::string> ends_;
  std::unique_ptr<test::StoppableProxy> proxy_;
};

}  // namespace clearance::fleet
