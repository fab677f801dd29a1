// SPDX-License-Identifier: Apache-2.0

#include "tests/fleet/gaps.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace clearance::fleet {
namespace {

double SecondsOf(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

double SecondsOf(const Gaps::Gap& gap) { return SecondsOf(gap.ended - gap.began); }

void PrintLine(const std::string& what, std::vector<double> seconds) {
  const Times times = TimesOf(std::move(seconds));
  std::printf("%-34s %6zu %9.3f %9.3f %9.3f\n", what.c_str(), times.count, times.middle,
              times.nearly_all, times.longest);
}

}  // namespace

Times TimesOf(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::ranges::sort(seconds);
  const std::size_t last = seconds.size() - 1;
  return {seconds.size(), seconds[seconds.size() / 2], seconds[last - last / 100], seconds.back()};
}

void Gaps::BeginHarm(const char* kind) {
  const std::lock_guard lock(mutex_);
  harms_.push_back({kind, Clock::now()});
}

void Gaps::Add(Gap gap) {
  const std::lock_guard lock(mutex_);
  gaps_.push_back(std::move(gap));
}

Times Gaps::times() {
  const std::lock_guard lock(mutex_);
  std::vector<double> seconds;
  for (const Gap& gap : gaps_) seconds.push_back(SecondsOf(gap));
  return TimesOf(std::move(seconds));
}

const Gaps::Harm& Gaps::CauseOf(const Gap& gap) const {
  const Harm* cause = &harms_.front();
  Clock::duration most{0};
  for (std::size_t i = 0; i < harms_.size(); ++i) {
    const auto end = i + 1 < harms_.size() ? harms_[i + 1].began : Clock::time_point::max();
    if (harms_[i].began >= gap.ended || end <= gap.began) continue;
    const auto beneath = std::min(end, gap.ended) - std::max(harms_[i].began, gap.began);
    if (beneath <= most) continue;
    most = beneath;
    cause = &harms_[i];
  }
  return *cause;
}

void Gaps::PrintByHarm() {
  const std::lock_guard lock(mutex_);
  std::map<std::string, std::map<std::string, std::vector<double>>> seconds;
  for (const Gap& gap : gaps_) seconds[CauseOf(gap).kind][gap.caller].push_back(SecondsOf(gap));
  std::printf("%-34s %6s %9s %9s %9s\n", "gaps by harm and caller, seconds", "gaps", "p50", "p99",
              "longest");
  for (const auto& [harm, of_callers] : seconds) {
    std::vector<double> all;
    for (const auto& [caller, its] : of_callers) all.insert(all.end(), its.begin(), its.end());
    PrintLine(harm, std::move(all));
    for (const auto& [caller, its] : of_callers) PrintLine("  " + caller, its);
  }
}

void Gaps::PrintAbove(double seconds) {
  const std::lock_guard lock(mutex_);
  for (const Gap& gap : gaps_) {
    if (SecondsOf(gap) <= seconds) continue;
    const Harm& cause = CauseOf(gap);
    std::printf("FOUND: a gap of %.3f s of %s, from %.3f s after it began to be harmed by %s: %s\n",
                SecondsOf(gap), gap.caller, SecondsOf(gap.began - cause.began), cause.kind,
                gap.phase.c_str());
  }
}

}  // namespace clearance::fleet
