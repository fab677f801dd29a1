// SPDX-License-Identifier: Apache-2.0
//
// The processor time that one principal uses. It is kept by the principal's id, so that a reload of
// the policy does not reset it.
//
// It is an account, which fills at `cores` seconds a second, up to the amount of one
// second, and work is paid for with the time that it really took. Work may overdraw the account by
// the amount of another second, then it ends; the next message waits until the account is even. So
// within any ten seconds the rows of a principal take at most 1.2 times the amount that comes in
// during them.

#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

#include "absl/time/time.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {

// Counts the processor time of one principal. Thread-safe.
class PrincipalUsage {
 public:
  explicit PrincipalUsage(SteadyClock clock = SteadyNow) : clock_(std::move(clock)) {}

  // Returns the time until the account is even; zero if it is not overdrawn.
  absl::Duration TimeUntilEven(double cores);
  void Charge(absl::Duration processor_time);
  // Returns whether work must end.
  bool IsOverdrawn(double cores);

 private:
  void Fill(double cores);  // requires: mutex_ is held

  const SteadyClock clock_;
  std::mutex mutex_;  // guards the members below
  absl::Duration account_;
  SteadyTime filled_;
};

}  // namespace clearance::server
