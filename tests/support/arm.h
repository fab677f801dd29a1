// SPDX-License-Identifier: Apache-2.0
//
// Robots' arms and their obstacles (client/examples/ompl) as the core's bodies, rules and scenes.

#pragma once

#include <vector>

#include "client/examples/ompl/data_files.h"
#include "client/examples/ompl/robot.h"
#include "core/scene/scene.h"

namespace clearance::testing {

// Ids of an arm's bodies begin here, in their order; those of obstacles at 0.
constexpr BodyId kFirstArmBody = 1'000'000;

// At the origin.
std::vector<SceneBody> BodiesOf(const plan::Robot& robot);
// The pairs of them that may touch.
PairRules RulesOf(const plan::Robot& robot);
std::vector<Pose> ToCore(const std::vector<plan::Pose>& poses);
ScenePtr MakeScene(const std::vector<plan::Obstacle>& obstacles);

}  // namespace clearance::testing
