// SPDX-License-Identifier: Apache-2.0

#include "tests/support/level.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <variant>

#include "core/shape/make_shape.h"

namespace clearance::testing {
namespace {

using LevelJson = nlohmann::json;

Vec3d ReadVec3(const LevelJson& json) { return {json.at(0), json.at(1), json.at(2)}; }

template <class Take>
void ForEachLine(const std::filesystem::path& path, Take&& take) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) take(LevelJson::parse(line));
  }
}

RigidBodyPtr ReadBrush(const LevelJson& row) {
  std::vector<double> xyz;
  for (const LevelJson& vertex : row.at("vertices")) {
    for (const LevelJson& number : vertex) xyz.push_back(number.get<double>());
  }
  return MakeBody(std::get<ConvexShapePtr>(MakeHull(xyz, 0)));
}

}  // namespace

Level ReadLevel(const std::filesystem::path& folder) {
  Level level;
  std::vector<SceneBody> brushes;
  ForEachLine(folder / "shapes.jsonl", [&](const LevelJson& row) {
    brushes.push_back({static_cast<BodyId>(brushes.size()), ReadBrush(row), {}, {}, 0});
    level.names.push_back(row.at("name").get<std::string>());
  });
  level.scene = std::get<ScenePtr>(Scene::MakeEmpty()->Apply({.put = brushes}));
  std::ifstream scene(folder / "scene.json");
  const Vec3d size = ReadVec3(LevelJson::parse(scene).at("player").at("size"));
  level.player = MakeBody(std::get<ConvexShapePtr>(MakeBox(0.5 * size, 0)));
  ForEachLine(folder / "moves.jsonl", [&](const LevelJson& row) {
    level.moves[{row.at("player").get<int>(), row.at("frame").get<int>()}] = {
        ReadVec3(row.at("center")), ReadVec3(row.at("delta"))};
  });
  return level;
}

}  // namespace clearance::testing
