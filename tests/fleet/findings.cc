// SPDX-License-Identifier: Apache-2.0

#include "tests/fleet/findings.h"

#include <chrono>
#include <cstdio>

namespace clearance::fleet {

void Findings::Add(std::size_t* counter, std::size_t number) {
  const std::lock_guard lock(mutex_);
  *counter += number;
}

void Findings::Complain(const std::string& what) {
  const std::lock_guard lock(mutex_);
  std::fprintf(stderr, "FOUND: %s\n", what.c_str());
}

void Findings::AddLag(Clock::duration lag) {
  const std::lock_guard lock(mutex_);
  lags_.push_back(std::chrono::duration<double>(lag).count());
}

Times Findings::lags() {
  const std::lock_guard lock(mutex_);
  return TimesOf(lags_);
}

}  // namespace clearance::fleet
