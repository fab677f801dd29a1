// SPDX-License-Identifier: Apache-2.0

#include "tests/fleet/sites.h"

#include <algorithm>
#include <cstdio>

namespace clearance::fleet {

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

Findings::Gaps Findings::gaps() {
  const std::lock_guard lock(mutex_);
  if (gaps_.empty()) return {};
  std::ranges::sort(gaps_);
  return {gaps_.size(), gaps_[gaps_.size() / 2], gaps_.back()};
}

}  // namespace clearance::fleet
