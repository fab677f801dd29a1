// SPDX-License-Identifier: Apache-2.0
//
// A level of a game as a scene, with the moves of players through it, from a folder of the data
// sets (shapes.jsonl, scene.json, moves.jsonl).

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/math/vec3.h"
#include "core/scene/scene.h"

namespace clearance::testing {

struct PlayerMove {
  Vec3d center;
  Vec3d delta;
};

struct Level {
  ScenePtr scene;  // a body a brush; its id is the brush's line in shapes.jsonl, from 0
  std::vector<std::string> names;  // by id
  RigidBodyPtr player;
  std::map<std::pair<int, int>, PlayerMove> moves;  // by player and frame
};

// Ends the process where a line cannot be read.
Level ReadLevel(const std::filesystem::path& folder);

}  // namespace clearance::testing
