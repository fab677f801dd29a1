// SPDX-License-Identifier: Apache-2.0
//
// The limits that the policy sets for one principal, as calls meet them. A caller without limits,
// or on a server without a policy, costs nothing here.

#ifndef CLEARANCE_SERVER_GUARD_QUOTA_H_
#define CLEARANCE_SERVER_GUARD_QUOTA_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/guard/caller.h"

namespace clearance::server {

// A session among those of its principal, from a successful Take to the end.
class PrincipalSession {
 public:
  PrincipalSession() = default;
  ~PrincipalSession();
  PrincipalSession(const PrincipalSession&) = delete;
  PrincipalSession& operator=(const PrincipalSession&) = delete;

  // RESOURCE_EXHAUSTED where the principal has as many as it may. At most once.
  absl::Status Take(const Caller& caller);

 private:
  std::shared_ptr<PrincipalUsage> taken_;  // null: nothing
};

// How long until the caller's principal has paid for the processor time that it overdrew; zero if
// there is nothing to pay.
absl::Duration TimeUntilEven(const Caller& caller);

// RESOURCE_EXHAUSTED, with the time to wait, while the caller's principal has overdrawn its
// processor time.
absl::Status RequireProcessorTime(const Caller& caller);

// Charges the caller's principal with work that no ProcessorMeter saw.
void Charge(const Caller& caller, absl::Duration processor_time);

// An estimate of what the transport spends on receiving so many bytes: its threads serve everybody
// at once and cannot be metered for one.
absl::Duration ProcessorTimeToReceive(std::uint64_t bytes);

// The processor time that the calling thread has spent since it began.
absl::Duration ProcessorTimeOfThread();

// Charges the principal with the processor time that this thread spends while it lives. A thread
// has one at a time.
class ProcessorMeter {
 public:
  explicit ProcessorMeter(const Caller& caller);
  ~ProcessorMeter();
  ProcessorMeter(const ProcessorMeter&) = delete;
  ProcessorMeter& operator=(const ProcessorMeter&) = delete;

  // Whether the work of this thread must end, because it has overdrawn the principal's account.
  static bool IsOverdrawn();

 private:
  void Charge();

  PrincipalUsage* const usage_;  // null: nothing is measured
  const double cores_;
  absl::Duration charged_until_;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_GUARD_QUOTA_H_
