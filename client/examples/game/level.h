// SPDX-License-Identifier: Apache-2.0
//
// The level that players move through: convex bodies at rest, and the box that every player is.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "axis_box.h"
#include "clearance/shape.h"

namespace game {

struct LevelBody {
  std::string name;
  std::vector<double> vertices;  // of its hull, x y z each
};

struct Level {
  std::string name;               // in a form that names on the server may have
  std::vector<LevelBody> bodies;  // the place here is the body's id
  Vec3 player_half_size;

  // Those of the bodies that are boxes along the axes.
  std::vector<BoxBody> Boxes() const;
};

// Two storeys high and 48 m wide: walls a decimetre thick, pillars and crates.
Level BuiltInLevel();

// A folder with shapes.jsonl (a line {"name", "kind": "hull", "vertices": [[x, y, z], …]} a body)
// and scene.json ({"player": {"kind": "box", "size": [x, y, z]}}), of any unit of length.
absl::StatusOr<Level> ReadLevel(const std::filesystem::path& folder);

}  // namespace game
