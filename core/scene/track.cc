// SPDX-License-Identifier: Apache-2.0

#include "core/scene/track.h"

#include <algorithm>
#include <cstddef>

#include "core/math/assert.h"
#include "core/math/interpolate.h"

namespace clearance {
namespace {

TrackMoment ExactlyAt(const TrackTickPtr& tick, TrackMoment::Clamp clamp) {
  return {.earlier = tick, .later = tick, .time = {tick->number, 0}, .clamp = clamp};
}

}  // namespace

TrackMoment MomentAt(const TrackTicks& ticks, const TrackTime& time) {
  CLEARANCE_ASSERT(!ticks.empty());
  using Clamp = TrackMoment::Clamp;
  const auto later = std::ranges::upper_bound(
      ticks, time.number, {}, [](const TrackTickPtr& tick) { return tick->number; });
  if (later == ticks.begin()) return ExactlyAt(ticks.front(), Clamp::kToOldest);
  const TrackTickPtr& earlier = *(later - 1);
  const bool is_at_tick = earlier->number == time.number && time.fraction == 0;
  if (is_at_tick) return ExactlyAt(earlier, Clamp::kNone);
  if (later == ticks.end()) return ExactlyAt(earlier, Clamp::kToNewest);
  const auto since = static_cast<double>(time.number - earlier->number) + time.fraction;
  const auto between = static_cast<double>((*later)->number - earlier->number);
  return {.earlier = earlier, .later = *later, .weight = since / between, .time = time};
}

std::vector<SceneBody> BodiesAt(const TrackMoment& moment) {
  const std::vector<SceneBody>& later = *moment.later->bodies;
  std::vector<SceneBody> bodies = *moment.earlier->bodies;
  std::size_t k = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    while (k < later.size() && later[k].id < bodies[i].id) ++k;
    const Pose& from = moment.earlier->poses[i];
    const bool is_in_both = k < later.size() && later[k].id == bodies[i].id;
    bodies[i].X_WB =
        is_in_both ? InterpolatePose(from, moment.later->poses[k], moment.weight) : from;
  }
  return bodies;
}

}  // namespace clearance
