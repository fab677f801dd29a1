// SPDX-License-Identifier: Apache-2.0
//
// What one server reaches etcd through, and what cuts it off: haproxy, stopped. Connections stay
// and nothing passes, as where a network is parted.

#ifndef CLEARANCE_TESTS_FLEET_CUT_H_
#define CLEARANCE_TESTS_FLEET_CUT_H_

#include <memory>
#include <string>
#include <vector>

#include "tests/integration/process/server_process.h"

namespace clearance::fleet {

class Cut {
 public:
  static bool IsPossible();

  // Passes on to these, host:port, until it is told otherwise.
  explicit Cut(const std::vector<std::string>& members);

  // --store=etcd://…
  std::string StoreFlag() const;

  void CutOff();
  void Join();

 private:
  test::TemporaryDirectory directory_;
  std::vector<std::string> ends_;
  std::unique_ptr<test::ChildProcess> proxy_;
};

}  // namespace clearance::fleet

#endif  // CLEARANCE_TESTS_FLEET_CUT_H_
