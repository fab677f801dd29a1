// SPDX-License-Identifier: Apache-2.0
#include "level.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "json_lines.h"

namespace game {
namespace {

constexpr int kCellsAcross = 12;
constexpr double kCellWidth = 4;
constexpr double kHalfWidth = kCellsAcross * kCellWidth / 2;
constexpr double kHeight = 6;

// Names on the server are of lower-case letters, digits and `._/-`, and not long.
std::string AllowedName(std::string name) {
  constexpr std::size_t kMostLetters = 64;
  name.resize(std::min(name.size(), kMostLetters));
  for (char& letter : name) {
    letter = absl::ascii_tolower(static_cast<unsigned char>(letter));
    if (!absl::ascii_isalnum(static_cast<unsigned char>(letter)) && letter != '-') letter = '_';
  }
  return name;
}

void AddBox(const std::string& name, const AxisBox& box, Level* level) {
  LevelBody body{name, {}};
  for (int corner = 0; corner < 8; ++corner) {
    for (const double number :
         {(corner & 1) != 0 ? box.high.x : box.low.x, (corner & 2) != 0 ? box.high.y : box.low.y,
          (corner & 4) != 0 ? box.high.z : box.low.z}) {
      body.vertices.push_back(number);
    }
  }
  level->bodies.push_back(std::move(body));
}

// Stands on the floor around its cell's middle.
void AddStanding(const std::string& name, const Vec3& middle, const Vec3& size, Level* level) {
  const Vec3 half = {size.x / 2, size.y / 2, 0};
  AddBox(name, {middle - half, middle + half + Vec3{0, 0, size.z}}, level);
}

void AddCell(int column, int row, Level* level) {
  const Vec3 middle = {(column + 0.5) * kCellWidth - kHalfWidth,
                       (row + 0.5) * kCellWidth - kHalfWidth, 0};
  const std::string place = absl::StrCat(column, "-", row);
  switch ((7 * column + 3 * row + column * row) % 5) {
    case 0:
      return AddStanding("pillar-" + place, middle, {0.5, 0.5, kHeight}, level);
    case 1:
      return AddStanding("wall-x-" + place, middle, {2.5, 0.1, 3}, level);
    case 2:
      return AddStanding("wall-y-" + place, middle, {0.1, 2.5, 3}, level);
    case 3:
      return AddStanding("crate-" + place, middle, {1, 1, 1}, level);
    default:
      return;  // room to walk
  }
}

// The one corner and the opposite one, if the points are the eight corners of a box.
std::optional<AxisBox> BoxOf(const std::vector<double>& vertices) {
  if (vertices.size() != 24) return std::nullopt;
  AxisBox box{{vertices[0], vertices[1], vertices[2]}, {vertices[0], vertices[1], vertices[2]}};
  for (std::size_t i = 0; i < vertices.size(); i += 3) {
    box.low = {std::min(box.low.x, vertices[i]), std::min(box.low.y, vertices[i + 1]),
               std::min(box.low.z, vertices[i + 2])};
    box.high = {std::max(box.high.x, vertices[i]), std::max(box.high.y, vertices[i + 1]),
                std::max(box.high.z, vertices[i + 2])};
  }
  unsigned corners = 0;  // a bit each
  for (std::size_t i = 0; i < vertices.size(); i += 3) {
    const auto side = [&](double number, double low, double high, unsigned bit) {
      return number == low ? 0U : number == high ? bit : 8U;
    };
    const unsigned corner = side(vertices[i], box.low.x, box.high.x, 1) +
                            side(vertices[i + 1], box.low.y, box.high.y, 2) +
                            side(vertices[i + 2], box.low.z, box.high.z, 4);
    if (corner >= 8) return std::nullopt;
    corners |= 1U << corner;
  }
  if (corners != 0xff) return std::nullopt;
  return box;
}

}  // namespace

std::vector<BoxBody> Level::Boxes() const {
  std::vector<BoxBody> boxes;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::optional<AxisBox> box = BoxOf(bodies[i].vertices);
    if (box) boxes.push_back({static_cast<std::uint32_t>(i), *box});
  }
  return boxes;
}

Level BuiltInLevel() {
  Level level;
  level.name = "built-in";
  level.player_half_size = {0.4, 0.4, 0.9};
  const double w = kHalfWidth;
  AddBox("floor", {{-w, -w, -0.5}, {w, w, 0}}, &level);
  AddBox("ceiling", {{-w, -w, kHeight}, {w, w, kHeight + 0.5}}, &level);
  AddBox("west", {{-w - 0.5, -w, 0}, {-w, w, kHeight}}, &level);
  AddBox("east", {{w, -w, 0}, {w + 0.5, w, kHeight}}, &level);
  AddBox("south", {{-w, -w - 0.5, 0}, {w, -w, kHeight}}, &level);
  AddBox("north", {{-w, w, 0}, {w, w + 0.5, kHeight}}, &level);
  for (int column = 0; column < kCellsAcross; ++column) {
    for (int row = 0; row < kCellsAcross; ++row) AddCell(column, row, &level);
  }
  return level;
}

absl::StatusOr<Level> ReadLevel(const std::filesystem::path& folder) {
  Level level;
  level.name = AllowedName((folder / "").parent_path().filename());
  absl::Status status = ForEachLine(folder / "shapes.jsonl", [&](const Json& line) {
    LevelBody body{line.at("name").get<std::string>(), {}};
    for (const Json& vertex : line.at("vertices")) {
      for (const Json& number : vertex) body.vertices.push_back(number.get<double>());
    }
    level.bodies.push_back(std::move(body));
  });
  status.Update(ReadJson(folder / "scene.json", [&](const Json& scene) {
    level.player_half_size = 0.5 * ReadVec3(scene.at("player").at("size"));
  }));
  if (!status.ok()) return status;
  if (level.bodies.empty()) return absl::NotFoundError(absl::StrCat(folder.c_str(), ": no bodies"));
  return level;
}

}  // namespace game
