// SPDX-License-Identifier: Apache-2.0
//
// A test's view of the real program, from outside.

#pragma once

#include <string>

#include "tests/integration/process/server_process.h"

namespace clearance::test {

// Returns the value of a series, written as in /metrics, with its labels; fails the test if it is
// not there.
double MetricOf(const ServerProcess& server, const std::string& series);

// Waits until the series has the value. (ctest's timeout limits the wait.)
bool AwaitMetric(const ServerProcess& server, const std::string& series, double value);

// Returns whether an honest client on a separate connection gets an answer.
bool Serves(const ServerProcess& server);

// Returns the resident memory of the program now, bytes.
double ResidentBytes(const ServerProcess& server);

// A token of `clearance-server --new_token`, and its line of the token file.
struct NewToken {
  std::string token;
  std::string line;
};
NewToken MakeToken(const std::string& id);

}  // namespace clearance::test
