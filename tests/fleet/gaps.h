// SPDX-License-Identifier: Apache-2.0
//
// How long callers were without an answer, and which harm it was that kept them waiting.

#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace clearance::fleet {

using Clock = std::chrono::steady_clock;

// Seconds: of all, what half of them and 99 in 100 are not above, and the longest.
struct Times {
  std::size_t count = 0;
  double middle = 0;
  double nearly_all = 0;
  double longest = 0;
};
Times TimesOf(std::vector<double> seconds);

// Thread-safe.
class Gaps {
 public:
  struct Gap {
    const char* caller;  // of which kind
    std::string phase;   // what it waited for, and what it was told meanwhile
    Clock::time_point began;
    Clock::time_point ended = Clock::now();
  };

  // From now on what is noticed is this one's doing, until the next begins.
  void BeginHarm(const char* kind);
  // Of who had to ask again or waited long.
  void Add(Gap gap);

  Times times();
  // A line for each kind of harm, and below it one for each kind of caller.
  void PrintByHarm();
  // Each gap that was longer than so many seconds.
  void PrintAbove(double seconds);

 private:
  struct Harm {
    const char* kind;
    Clock::time_point began;
  };

  // With the mutex. The harm beneath which most of it lay.
  const Harm& CauseOf(const Gap& gap) const;

  std::mutex mutex_;  // guards what follows
  std::vector<Harm> harms_ = {{"before any harm", Clock::time_point()}};
  std::vector<Gap> gaps_;
};

}  // namespace clearance::fleet
