// SPDX-License-Identifier: Apache-2.0
//
// Certificates that openssl makes for one test and that go with it.

#pragma once

#include <string>
#include <vector>

#include "tests/integration/process/server_process.h"
#include "tests/support/optional_program.h"  // IWYU pragma: export

namespace clearance::test {

// Skips the test if openssl is missing: as a member of a fixture before the test begins. A test
// that makes them in its body calls CLEARANCE_REQUIRE_PROGRAMS("openssl") first.
//
// A folder of NAME.pem and NAME.key. To begin with: two CAs, ca and other_ca; of ca server
// (clearance.test, 127.0.0.1) and alice; of other_ca mallory, who has alice's name.
class Certificates {
 public:
  Certificates();

  std::string Path(const std::string& name) const { return directory_.File(name); }

  // `names` as openssl's subjectAltName takes them. A failure fails the test.
  void Make(const std::string& name, const std::string& ca, const std::string& names,
            int days = 2) const;

  void Copy(const std::string& from, const std::string& to) const;

  // Flags of a server with the pair server.pem, server.key and, for mutual TLS, the CA ca.pem.
  std::vector<std::string> ServerFlags(bool is_mutual) const;

 private:
  void MakeCa(const std::string& name) const;
  std::vector<std::string> NewKey(const std::string& name) const;

  TemporaryDirectory directory_;
};

}  // namespace clearance::test
