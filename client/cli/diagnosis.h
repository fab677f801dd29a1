// SPDX-License-Identifier: Apache-2.0
//
// The findings about a server, check after check, for people and for programs.

#pragma once

#include <string>

#include "client/cli/output.h"

namespace clearance::client {

enum class Finding { kOk, kWarning, kFailure };

// One line. `advice` is the thing to do about it; a check that is ok has none.
struct Check {
  Finding finding = Finding::kOk;
  std::string name;
  std::string found;
  std::string advice = {};
};

// Prints each check as it is told, or with JSON all of them at the end. Thread-compatible.
class Diagnosis {
 public:
  explicit Diagnosis(bool is_json) : is_json_(is_json) {}

  // Returns whether checking may go on: the check is not a failure.
  bool Tell(const Check& check);
  // Ends the diagnosis. Returns the exit code: an error if any check failed; warnings do not count.
  int Conclude() const;

 private:
  const bool is_json_;
  int failures_ = 0;
  int warnings_ = 0;
  Json checks_ = Json::array();
};

}  // namespace clearance::client
