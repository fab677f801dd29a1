// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <pthread.h>

#include <ctime>
#include <thread>

#include "absl/time/time.h"

namespace clearance::server {

// Returns the processor time that a joinable thread has spent since it began. Time that it waited,
// for others or for a processor, does not count.
inline absl::Duration ProcessorTimeOf(std::thread& thread) {
  clockid_t clock{};
  timespec time{};
  if (pthread_getcpuclockid(thread.native_handle(), &clock) != 0) return absl::ZeroDuration();
  clock_gettime(clock, &time);
  return absl::DurationFromTimespec(time);
}

}  // namespace clearance::server
