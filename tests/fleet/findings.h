// SPDX-License-Identifier: Apache-2.0
//
// What callers of a fleet noticed while it was harmed.

#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "tests/fleet/gaps.h"

namespace clearance::fleet {

// Thread-safe.
class Findings {
 public:
  void Add(std::size_t* counter, std::size_t number = 1);
  void Complain(const std::string& what);

  // From the acknowledgement of a change to the answer of another server that knows it.
  void AddLag(Clock::duration lag);
  Times lags();

  Gaps gaps;                            // of those without an answer
  std::size_t acknowledged = 0;         // changes
  std::size_t seen = 0;                 // of these, by every other server at once
  std::size_t looked = 0;               // at a name, after its change, on one other server
  std::size_t answered = 0;             // questions in streams
  std::size_t answered_to_library = 0;  // questions in sessions of the client library
  std::size_t lost = 0;                 // acknowledged and not there
  std::size_t wrong = 0;                // answers, the stale ones included
  std::size_t twice = 0;                // revisions or tags that came twice

 private:
  std::mutex mutex_;
  std::vector<double> lags_;
};

}  // namespace clearance::fleet
