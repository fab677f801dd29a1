// SPDX-License-Identifier: Apache-2.0

#include "tests/fleet/sites.h"

#include <algorithm>
#include <cstdio>

namespace clearance::fleet {

namespace {

Findings::Times TimesOf(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::ranges::sort(seconds);
  const std::size_t last = seconds.size() - 1;
  return {seconds.size(), seconds[seconds.size() / 2], seconds[last - last / 100], seconds.back()};
}

}  // namespace

void Sites::Set(std::size_t index, const std::string& address) {
  auto site = std::make_shared<Site>(address);
  const std::lock_guard lock(mutex_);
  sites_[index] = std::move(site);
}

SitePtr Sites::Get(std::size_t index) {
  const std::lock_guard lock(mutex_);
  return sites_[index % sites_.size()];
}

void Findings::AddGap(Clock::duration gap) {
  const std::lock_guard lock(mutex_);
  gaps_.push_back(std::chrono::duration<double>(gap).count());
}

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

Findings::Times Findings::gaps() {
  const std::lock_guard lock(mutex_);
  return TimesOf(gaps_);
}

Findings::Times Findings::lags() {
  const std::lock_guard lock(mutex_);
  return TimesOf(lags_);
}

}  // namespace clearance::fleet
