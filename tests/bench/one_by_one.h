// SPDX-License-Identifier: Apache-2.0
//
// What questions of whole scenes must answer: the same, asked of each body of the scene by
// itself.

#ifndef CLEARANCE_TESTS_BENCH_ONE_BY_ONE_H_
#define CLEARANCE_TESTS_BENCH_ONE_BY_ONE_H_

#include "core/query/body_query.h"
#include "core/scene/scene.h"
#include "core/scene/scene_query.h"

namespace clearance::bench {

// As SweepAnswer has the earliest contact.
struct FirstContact {
  MotionState state = MotionState::kFree;
  double t_hit = 0;   // of kHit
  double t_free = 1;  // the least of all
  BodyId body = 0;    // but of kFree
};

// Of a scene without margins and rules.
FirstContact FirstOneByOne(const Scene& scene, const MovingBody& moving);
// As a point that moves.
FirstContact FirstOneByOne(const Scene& scene, const Ray& ray);

// Whether that is what was answered, to the last bit.
bool IsSame(const FirstContact& first, const SweepAnswer& answer);

}  // namespace clearance::bench

#endif  // CLEARANCE_TESTS_BENCH_ONE_BY_ONE_H_
