// SPDX-License-Identifier: Apache-2.0
//
// Programs that tests use if they are installed: those of optional_programs.txt.

#pragma once

#include <string>
#include <vector>

namespace clearance::test {

// Returns why these programs cannot be used, such as "etcd is not installed (Debian package
// etcd-server)", for the first that is not on the PATH; "" if all are. Throws std::logic_error if
// optional_programs.txt does not list one of them: then a missing program could go unnoticed.
std::string MissingReason(const std::vector<std::string>& programs);

}  // namespace clearance::test

// Skips a test of GoogleTest that needs these programs.
#define CLEARANCE_REQUIRE_PROGRAMS(...)                                            \
  if (const std::string missing = ::clearance::test::MissingReason({__VA_ARGS__}); \
      !missing.empty())                                                            \
  GTEST_SKIP() << "SKIPPED: " << missing
