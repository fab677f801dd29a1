// SPDX-License-Identifier: Apache-2.0
//
// What one principal takes of the server now: sessions and processor time. It is kept by the
// principal's id, so that a reload of the policy forgives nobody anything.
//
// Processor time is an account: it fills at `cores` seconds a second up to what comes in one
// second, and work is paid for after it was done, with the time that it really took. Work may
// overdraw the account, so no message is too dear to be answered at all; the next one waits until
// it is even.

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
