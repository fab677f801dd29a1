// SPDX-License-Identifier: Apache-2.0

#include "server/guard/quota.h"

#include <algorithm>
#include <cassert>
#include <ctime>

#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

bool HasProcessorLimit(const Caller& caller) {
  return caller.principal != nullptr && caller.principal->limits.cores != kNoLimitOfCores;
}

// The meter of this thread; null: it has none.
thread_local ProcessorMeter* meter_of_thread = nullptr;

absl::Duration ThreadTime() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return absl::DurationFromTimespec(time);
}

}  // namespace

void PrincipalUsage::Fill(double cores) {
  const SteadyTime now = clock_();
  const absl::Duration most = absl::Seconds(cores);
  // The first time finds an account that has filled for ever.
  const absl::Duration since = std::min(now - filled_, absl::Hours(24));
  filled_ = now;
  account_ = std::min(most, account_ + since * cores);
}

absl::Duration TimeUntilEven(const Caller& caller) {
  if (!HasProcessorLimit(caller)) return absl::ZeroDuration();
  return caller.principal->usage->TimeUntilEven(caller.principal->limits.cores);
}

absl::Status RequireProcessorTime(const Caller& caller) {
  const absl::Duration wait = TimeUntilEven(caller);
  if (wait <= absl::ZeroDuration()) return absl::OkStatus();
  const Principal& principal = *caller.principal;
  const double cores = principal.limits.cores;
  return Refuse(
      absl::StatusCode::kResourceExhausted,
      {.reason = Reason::kProcessorTimeExhausted,
       .field = "",
       .value = absl::FormatDuration(wait) + " overdrawn",
       .limit = "cores <= " + FormatNumber(cores) + " of principal " + principal.id,
       .message = "The principal has taken the processor time that its policy allows; repeat "
                  "after `retry_after`.",
       .retry_after = wait});
}

void Arrears::Receive(std::uint64_t bytes) {
  // 1 to 2 were measured for messages of megabytes, with the memory that is touched first for them.
  constexpr absl::Duration kAByte = absl::Nanoseconds(2);
  if (HasProcessorLimit(caller_)) owed_ += kAByte * static_cast<double>(bytes);
}

void Arrears::Meter(absl::FunctionRef<void()> work) {
  if (!HasProcessorLimit(caller_)) return work();
  const absl::Duration began = ThreadTime();
  work();
  owed_ += ThreadTime() - began;
}

void Arrears::Pay() {
  if (HasProcessorLimit(caller_)) caller_.principal->usage->Charge(owed_);
  owed_ = absl::ZeroDuration();
}

ProcessorMeter::ProcessorMeter(const Caller& caller)
    : usage_(HasProcessorLimit(caller) ? caller.principal->usage.get() : nullptr),
      cores_(usage_ == nullptr ? 0 : caller.principal->limits.cores),
      charged_until_(usage_ == nullptr ? absl::ZeroDuration() : ThreadTime()) {
  if (usage_ == nullptr) return;
  assert(meter_of_thread == nullptr);
  meter_of_thread = this;
}

ProcessorMeter::~ProcessorMeter() {
  if (usage_ == nullptr) return;
  Charge();
  meter_of_thread = nullptr;
}

void ProcessorMeter::Charge() {
  const absl::Duration now = ThreadTime();
  usage_->Charge(now - std::exchange(charged_until_, now));
}

bool ProcessorMeter::IsOverdrawn() {
  if (meter_of_thread == nullptr) return false;
  meter_of_thread->Charge();
  return meter_of_thread->usage_->IsOverdrawn(meter_of_thread->cores_);
}

}  // namespace clearance::server
