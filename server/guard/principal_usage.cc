// SPDX-License-Identifier: Apache-2.0

#include "server/guard/principal_usage.h"

#include <algorithm>

namespace clearance::server {

absl::Duration PrincipalUsage::TimeUntilEven(double cores) {
  const std::lock_guard lock(mutex_);
  Fill(cores);
  return account_ >= absl::ZeroDuration() ? absl::ZeroDuration() : -account_ / cores;
}

void PrincipalUsage::Charge(absl::Duration processor_time) {
  const std::lock_guard lock(mutex_);
  account_ -= processor_time;
}

bool PrincipalUsage::IsOverdrawn(double cores) {
  const std::lock_guard lock(mutex_);
  Fill(cores);
  return account_ < -absl::Seconds(cores);
}

void PrincipalUsage::Fill(double cores) {
  const SteadyTime now = clock_();
  const absl::Duration most = absl::Seconds(cores);
  // The first time finds an account that has filled for ever.
  const absl::Duration since = std::min(now - filled_, absl::Hours(24));
  filled_ = now;
  account_ = std::min(most, account_ + since * cores);
}

}  // namespace clearance::server
