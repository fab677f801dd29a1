// SPDX-License-Identifier: Apache-2.0
//
// Valid changes of scenes, query bodies, tracks and questions about scenes.

#pragma once

#include <string>

#include "clearance/v1/query_service.pb.h"
#include "clearance/v1/scene.pb.h"
#include "clearance/v1/scene_query.pb.h"
#include "clearance/v1/track.pb.h"
#include "tests/support/random.h"

namespace clearance::hammer {

// The slots of a session with registered shapes, of which tracks may be; inline ones are in 0 to 2.
inline constexpr std::uint32_t kFirstNamedSlot = 3;

// Of the shapes and scenes that are there from the beginning.
std::string BaseName(testing::Random* random);

// Puts bodies of base shapes in places, and says something of a pair.
v1::SceneChange AnySceneContent(testing::Random* random);
// Moves one of them, which base scenes have, or puts one more.
v1::SceneChange AnySceneChange(testing::Random* random);

// A base scene, or now and then one that may not be there.
v1::OpenScene AnyOpenScene(testing::Random* random);
// With the ids 101 to 103.
v1::ChangeBodies AnyQueryBodies(std::uint32_t first_slot, testing::Random* random);

v1::OpenTrack AnyOpenTrack(testing::Random* random);
v1::PublishTick AnyTick(testing::Random* random);
v1::RewindTrack AnyRewind(testing::Random* random);

}  // namespace clearance::hammer
