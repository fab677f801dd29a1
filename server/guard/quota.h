// SPDX-License-Identifier: Apache-2.0
//
// The processor time that the policy allows one principal, as calls meet it. A caller without a
// limit, or on a server without a policy, costs nothing here.

#pragma once

#include <cstdint>
#include <mutex>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/guard/caller.h"
#include "server/observe/steady_clock.h"

namespace clearance::server {

// Counts the processor time of one principal. It is kept by the principal's id, so that a reload of
// the policy does not reset it.
//
// It is an account, which fills at `cores` seconds a second, up to the amount of one second, and
// work is paid for with the time that it really took. Work may overdraw the account by the amount
// of another second, then it ends; the next message waits until the account is even. So within any
// ten seconds the rows of a principal take at most 1.2 times the amount that comes in during them.
// Thread-safe.
class PrincipalUsage {
 public:
  explicit PrincipalUsage(SteadyClock clock = SteadyNow) : clock_(std::move(clock)) {}

  // Returns the time until the account is even; zero if it is not overdrawn.
  absl::Duration TimeUntilEven(double cores) {
    const std::lock_guard lock(mutex_);
    Fill(cores);
    return account_ >= absl::ZeroDuration() ? absl::ZeroDuration() : -account_ / cores;
  }
  void Charge(absl::Duration processor_time) {
    const std::lock_guard lock(mutex_);
    account_ -= processor_time;
  }
  // Returns whether work must end.
  bool IsOverdrawn(double cores) {
    const std::lock_guard lock(mutex_);
    Fill(cores);
    return account_ < -absl::Seconds(cores);
  }

 private:
  void Fill(double cores);  // requires: mutex_ is held

  const SteadyClock clock_;
  std::mutex mutex_;  // guards the members below
  absl::Duration account_;
  SteadyTime filled_;
};

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

  // Whether the work of this thread must end, because it has overdrawn the principal's account.
  static bool IsOverdrawn();

 private:
  void Charge();

  PrincipalUsage* const usage_;  // null: nothing is measured
  const double cores_;
  absl::Duration charged_until_;
};

}  // namespace clearance::server
