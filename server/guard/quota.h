// SPDX-License-Identifier: Apache-2.0
//
// The limits that the policy sets for one principal, as calls meet them. A caller without limits,
// or on a server without a policy, costs nothing here.

#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/guard/caller.h"

namespace clearance::server {

// How long until the caller's principal has paid for the processor time that it overdrew; zero if
// there is nothing to pay.
absl::Duration TimeUntilEven(const Caller& caller);

// RESOURCE_EXHAUSTED, with the time to wait, while the caller's principal has overdrawn its
// processor time.
absl::Status RequireProcessorTime(const Caller& caller);

// The cost of a message before it is answered: its receipt, by an estimate of 2 ns a byte, and its
// parsing. It is paid after the answer: paid at once, it would overdraw the account, and a large
// message would be refused for its own cost. Thread-compatible; the caller outlives it.
class Arrears {
 public:
  explicit Arrears(const Caller& caller) : caller_(caller) {}
  ~Arrears() { Pay(); }
  Arrears(const Arrears&) = delete;
  Arrears& operator=(const Arrears&) = delete;

  void Receive(std::uint64_t bytes);
  // Does the work, on this thread.
  void Meter(absl::FunctionRef<void()> work);
  void Pay();

 private:
  const Caller& caller_;
  absl::Duration owed_;
};

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
