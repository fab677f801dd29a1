// SPDX-License-Identifier: Apache-2.0
#include "internal/backoff.h"

#include <algorithm>

namespace clearance::client {
namespace {

constexpr absl::Duration kFirstWait = absl::Milliseconds(20);
constexpr absl::Duration kLongestWait = absl::Seconds(1);
constexpr double kShortestShare = 0.8;

}  // namespace

std::optional<absl::Duration> Backoff::AfterFailure(SteadyTime now) {
  if (!give_up_at_) {
    give_up_at_ = now + within_;
    wait_ = kFirstWait;
  }
  std::uniform_real_distribution<double> share(kShortestShare, 1);
  const absl::Duration wait = share(generator_) * wait_;
  if (now + wait > *give_up_at_) return std::nullopt;
  wait_ = std::min(2 * wait_, kLongestWait);
  return wait;
}

void Backoff::AfterSuccess() { give_up_at_.reset(); }

}  // namespace clearance::client
