// SPDX-License-Identifier: Apache-2.0
//
// The right answers to questions about whole scenes: the same, asked about each body of the scene
// alone.

#pragma once

#include "core/query/body_query.h"
#include "core/scene/scene.h"
#include "core/scene/scene_query.h"

namespace clearance::bench {

// The earliest contact, as in SweepAnswer.
struct FirstContact {
  MotionState state = MotionState::kFree;
  double t_hit = 0;   // of kHit
  double t_free = 1;  // the least of all
  BodyId body = 0;    // but for kFree
};

// For a scene without margins and rules.
FirstContact FirstOneByOne(const Scene& scene, const MovingBody& moving);
// For a moving point.
FirstContact FirstOneByOne(const Scene& scene, const Ray& ray);

// Returns whether the answer has the same contact, to the last bit.
bool IsSame(const FirstContact& first, const SweepAnswer& answer);

}  // namespace clearance::bench
