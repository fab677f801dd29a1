// SPDX-License-Identifier: Apache-2.0

#include "server/guard/quota.h"

#include <ctime>
#include <string>

#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

bool HasProcessorLimit(const Caller& caller) {
  return caller.principal != nullptr && caller.principal->limits.cores.has_value();
}

absl::Duration ThreadTime() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return absl::DurationFromTimespec(time);
}

}  // namespace

PrincipalSession::~PrincipalSession() {
  if (taken_ != nullptr) taken_->LeaveSession();
}

absl::Status PrincipalSession::Take(const Caller& caller) {
  if (caller.principal == nullptr || !caller.principal->limits.sessions.has_value()) {
    return absl::OkStatus();
  }
  const Principal& principal = *caller.principal;
  const std::uint64_t most = *principal.limits.sessions;
  if (principal.usage->TakeSession(most)) {
    taken_ = principal.usage;
    return absl::OkStatus();
  }
  return Refuse(absl::StatusCode::kResourceExhausted,
                {.field = "",
                 .value = FormatNumber(most + 1),
                 .limit = "sessions <= " + FormatNumber(most) + " of principal " + principal.id,
                 .message = "The principal has as many sessions as its policy allows; end one."});
}

absl::Status RequireProcessorTime(const Caller& caller) {
  if (!HasProcessorLimit(caller)) return absl::OkStatus();
  const Principal& principal = *caller.principal;
  const double cores = *principal.limits.cores;
  const absl::Duration wait = principal.usage->TimeUntilEven(cores);
  if (wait <= absl::ZeroDuration()) return absl::OkStatus();
  return Refuse(
      absl::StatusCode::kResourceExhausted,
      {.field = "",
       .value = absl::FormatDuration(wait) + " overdrawn",
       .limit = "cores <= " + FormatNumber(cores) + " of principal " + principal.id,
       .message = "The principal has taken the processor time that its policy allows; repeat "
                  "after `retry_after`.",
       .retry_after = wait});
}

ProcessorMeter::ProcessorMeter(const Caller& caller)
    : usage_(HasProcessorLimit(caller) ? caller.principal->usage.get() : nullptr),
      began_(usage_ == nullptr ? absl::ZeroDuration() : ThreadTime()) {}

ProcessorMeter::~ProcessorMeter() {
  if (usage_ != nullptr) usage_->Charge(ThreadTime() - began_);
}

}  // namespace clearance::server
