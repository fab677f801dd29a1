// SPDX-License-Identifier: Apache-2.0
//
// Bodies as they stood at ticks of the past, and between two of them: what is asked of a world
// rewound. A tick is immutable and shared by whoever keeps it.

#ifndef CLEARANCE_CORE_SCENE_TRACK_H_
#define CLEARANCE_CORE_SCENE_TRACK_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "core/math/pose.h"
#include "core/scene/scene.h"

namespace clearance {

struct TrackTick {
  std::uint64_t number = 0;
  // In the order of their ids, which differ; not null. Ticks whose bodies are the same share it.
  std::shared_ptr<const std::vector<SceneBody>> bodies;
  // Where each stands, in place of its X_WB. Requires: valid as X_WB is.
  std::vector<Pose> poses;
};
using TrackTickPtr = std::shared_ptr<const TrackTick>;

// Ticks by number, each higher than the one before.
using TrackTicks = std::vector<TrackTickPtr>;

// A time in ticks: `fraction` of a tick after tick `number`.
struct TrackTime {
  std::uint64_t number = 0;
  double fraction = 0;  // in [0, 1)

  friend bool operator==(const TrackTime&, const TrackTime&) = default;
};

// What of a track is asked for a time: `weight` of the way from one tick to the next.
struct TrackMoment {
  enum class Clamp : std::uint8_t { kNone, kToOldest, kToNewest };

  TrackTickPtr earlier;
  TrackTickPtr later;  // the same where weight is 0
  double weight = 0;   // in [0, 1]
  TrackTime time;      // that was asked for, or the end of the ticks that is nearest to it
  Clamp clamp = Clamp::kNone;
};

// Between ticks k0 < k1 without one between them weight = (number - k0 + fraction) / (k1 - k0): a
// tick that is missing is passed over. There is nothing beyond the oldest and the newest tick.
// Requires: there is a tick.
TrackMoment MomentAt(const TrackTicks& ticks, const TrackTime& time);

// The bodies at that moment, by ids, with their poses as X_WB (InterpolatePose). A body that only
// the later tick has is not there yet. One that only the earlier tick has is still there and stands
// where it stood. One that both have is what it was at the earlier tick (shape, bits, margin).
std::vector<SceneBody> BodiesAt(const TrackMoment& moment);

}  // namespace clearance

#endif  // CLEARANCE_CORE_SCENE_TRACK_H_
