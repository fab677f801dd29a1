// SPDX-License-Identifier: Apache-2.0
//
// Bodies as they stood at past ticks and between two of them, for questions about a rewound world.
// A tick is immutable and may be shared.

#pragma once

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
  // The pose of each body, in place of its X_WB. Requires: valid as X_WB is.
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

// The part of a track that belongs to a time: `weight` of the path from one tick to the next.
struct TrackMoment {
  enum class Clamp : std::uint8_t { kNone, kToOldest, kToNewest };

  TrackTickPtr earlier;
  TrackTickPtr later;  // the same if weight is 0
  double weight = 0;   // in [0, 1]
  TrackTime time;      // the time that was asked for, or the end of the ticks that is nearest to it
  Clamp clamp = Clamp::kNone;
};

// Returns the moment of a time. A missing tick is passed over: between ticks k0 < k1 without one
// between them weight = (number - k0 + fraction) / (k1 - k0). There is nothing beyond the oldest
// and the newest tick. Requires: there is a tick.
TrackMoment MomentAt(const TrackTicks& ticks, const TrackTime& time);

// Returns the bodies at that moment, by ids, with their poses as X_WB (InterpolatePose). A body
// that only the later tick has is not there yet. A body that only the earlier tick has is still
// there and keeps its pose. A body that both have is the one of the earlier tick (shape, bits,
// margin).
std::vector<SceneBody> BodiesAt(const TrackMoment& moment);

}  // namespace clearance
