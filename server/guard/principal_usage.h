// SPDX-License-Identifier: Apache-2.0
//
// What one principal takes of the server now: sessions and processor time. It is kept by the
// principal's id, so that a reload of the policy forgives nobody anything.
//
// Processor time is an account: it fills at `cores` seconds a second up to what comes in one
// second, and work is paid for with the time that it really took. Work may overdraw the account by
// what comes in another second, then it ends; the next message waits until the account is even. So
// within any ten seconds the rows of a principal take at most 1.2 times what comes in them.

#ifndef CLEARANCE_SERVER_GUARD_PRINCIPAL_USAGE_H_
#define CLEARANCE_SERVER_GUARD_PRINCIPAL_USAGE_H_

#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

#include "absl/time/time.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {

// Thread-safe.
class PrincipalUsage {
 public:
  explicit PrincipalUsage(SteadyClock clock = SteadyNow) : clock_(std::move(clock)) {}

  // False, and nothing taken, where `most` are taken.
  bool TakeSession(std::uint64_t most);
  void LeaveSession();

  // How long until the account is even; zero where it is not overdrawn.
  absl::Duration TimeUntilEven(double cores);
  void Charge(absl::Duration processor_time);
  // Whether work must end.
  bool IsOverdrawn(double cores);

 private:
  void Fill(double cores);  // requires: mutex_ is held

  const SteadyClock clock_;
  std::mutex mutex_;  // guards what follows
  std::uint64_t sessions_ = 0;
  absl::Duration account_;
  SteadyTime filled_;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_GUARD_PRINCIPAL_USAGE_H_
