// SPDX-License-Identifier: Apache-2.0
#include "figures.h"

#include <time.h>

#include <algorithm>
#include <cmath>

namespace game {
namespace {

double SecondsOf(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

double Durations::Microseconds(double quantile) const {
  if (seconds_.empty()) return 0;
  std::vector<double> sorted = seconds_;
  const auto index =
      static_cast<std::size_t>(std::ceil(quantile * static_cast<double>(sorted.size())) - 1);
  const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(index);
  std::nth_element(sorted.begin(), place, sorted.end());
  return 1e6 * *place;
}

std::size_t Durations::CountAbove(absl::Duration limit) const {
  const double seconds = absl::ToDoubleSeconds(limit);
  return static_cast<std::size_t>(
      std::count_if(seconds_.begin(), seconds_.end(), [&](double s) { return s > seconds; }));
}

absl::Duration SteadyNow() { return absl::Seconds(SecondsOf(CLOCK_MONOTONIC)); }

ProcessorTime ReadProcessorTime(int server_pid) {
  ProcessorTime time{SecondsOf(CLOCK_PROCESS_CPUTIME_ID)};
  clockid_t clock{};
  if (server_pid > 0 && clock_getcpuclockid(server_pid, &clock) == 0) {
    time.server_seconds = SecondsOf(clock);
  }
  return time;
}

ProcessorTime operator-(const ProcessorTime& a, const ProcessorTime& b) {
  return {a.client_seconds - b.client_seconds, a.server_seconds - b.server_seconds};
}

void operator+=(ProcessorTime& a, const ProcessorTime& b) {
  a.client_seconds += b.client_seconds;
  a.server_seconds += b.server_seconds;
}

}  // namespace game
