// SPDX-License-Identifier: Apache-2.0

#include "tests/support/shifted_clock.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

namespace {

std::atomic<std::int64_t> shift_seconds = 0;

}  // namespace

// The system's own, but for the shift. Its signature is that of POSIX.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const auto result = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  const bool is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  if (result == 0 && is_wall) time->tv_sec += shift_seconds.load(std::memory_order_relaxed);
  return result;
}

namespace clearance::testing {

void ShiftWallClock(std::int64_t seconds) {
  shift_seconds.fetch_add(seconds, std::memory_order_relaxed);
}

}  // namespace clearance::testing
