// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "tests/acceptance/data_folder.h"
#include "tests/acceptance/judge.h"

namespace clearance::acceptance {
namespace {

namespace fs = std::filesystem;
using client::Vec3;

// How much larger than the swept player the region is from which brushes are taken: far beyond
// rounding and the tolerance of touching.
constexpr double kMargin = 1e-3;

struct Move {
  Vec3 center;
  Vec3 delta;
};

using MoveKey = std::pair<int, int>;  // player, frame

std::map<MoveKey, Move> ReadMoveTable(const fs::path& path, TaskFile* file) {
  std::map<MoveKey, Move> moves;
  const bool is_open = ForEachLine(path, file, [&](const Json& row, int) {
    moves[{row.at("player").get<int>(), row.at("frame").get<int>()}] = {ReadVec3(row.at("center")),
                                                                        ReadVec3(row.at("delta"))};
  });
  if (!is_open) file->unreadable.push_back(path.string() + ": cannot be opened");
  return moves;
}

bool DoOverlap(double low, double high, double other_low, double other_high) {
  return low <= other_high && other_low <= high;
}

// One axis of the swept player, with its margin.
bool IsNear(const Bounds& player, const Bounds& brush, const Move& move, double Vec3::*axis) {
  const double start = move.center.*axis;
  const double end = start + move.delta.*axis;
  const double margin = kMargin * Size(player);
  return DoOverlap(std::min(start, end) + player.low.*axis - margin,
                   std::max(start, end) + player.high.*axis + margin, brush.low.*axis,
                   brush.high.*axis);
}

bool IsNear(const Bounds& player, const Bounds& brush, const Move& move) {
  return IsNear(player, brush, move, &Vec3::x) && IsNear(player, brush, move, &Vec3::y) &&
         IsNear(player, brush, move, &Vec3::z);
}

// Returns two questions about every brush near the move: along it, and at its start.
Task MoveTask(const Json& row, const Move& move, const FolderShapes& shapes) {
  const std::size_t player = shapes.Index("player");
  Task task;
  std::vector<std::string> names;
  for (std::size_t brush = 0; brush < shapes.size(); ++brush) {
    if (brush == player || !IsNear(shapes.bounds(player), shapes.bounds(brush), move)) continue;
    Question question;
    question.shape_a = player;
    question.shape_b = brush;
    question.pose_a = {move.center.x, move.center.y, move.center.z, 0, 0, 0, 1};
    Question start = question;
    question.motions = Question::Motions{{move.delta, {}}, {}};
    task.questions.push_back(question);
    task.questions.push_back(start);
    names.push_back(shapes.name(brush));
  }
  task.judge = [row, names](absl::Span<const Answer> answers) {
    std::vector<BrushAnswer> brushes;
    for (std::size_t i = 0; i < names.size(); ++i)
      brushes.push_back({names[i], answers[2 * i], answers[2 * i + 1]});
    return JudgeMove(row, brushes);
  };
  return task;
}

// Returns the same as one question of a scene of all brushes.
Task SceneMoveTask(const Json& row, const Move& move, const FolderShapes& shapes,
                   const std::shared_ptr<const MoveScene>& scene) {
  Question question;
  question.shape_a = shapes.Index("player");
  question.pose_a = {move.center.x, move.center.y, move.center.z, 0, 0, 0, 1};
  question.motions = Question::Motions{{move.delta, {}}, {}};
  question.is_in_scene = true;
  Task task;
  task.questions.push_back(question);
  task.judge = [row, scene](absl::Span<const Answer> answers) {
    return JudgeMoveInScene(row, *scene, answers[0]);
  };
  return task;
}

// Puts all shapes but the player into the scene.
std::shared_ptr<const MoveScene> MakeScene(const FolderShapes& shapes, TaskFile* file) {
  const std::size_t player = shapes.Index("player");
  auto scene = std::make_shared<MoveScene>();
  scene->player_size = Size(shapes.bounds(player));
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    scene->names.push_back(shapes.name(i));
    if (i != player) file->scene.push_back(i);
  }
  return scene;
}

}  // namespace

void ReadMoves(const fs::path& folder, const FolderShapes& shapes, TaskFile* file) {
  const std::map<MoveKey, Move> moves = ReadMoveTable(folder / "moves.jsonl", file);
  const fs::path path = folder / "answers_moves.jsonl";
  const std::shared_ptr<const MoveScene> scene = MakeScene(shapes, file);
  const bool is_open = ForEachLine(path, file, [&](const Json& row, int) {
    const MoveKey key = {row.at("player").get<int>(), row.at("frame").get<int>()};
    const auto move = moves.find(key);
    if (move == moves.end()) throw InputError("no such move in moves.jsonl");
    const auto add = [&](Task task, const std::string& family) {
      task.family = family;
      task.id = family + ":" + std::to_string(key.first) + "/" + std::to_string(key.second);
      file->tasks.push_back(std::move(task));
    };
    add(MoveTask(row, move->second, shapes), path.stem().string());
    add(SceneMoveTask(row, move->second, shapes, scene), path.stem().string() + " of a scene");
  });
  if (!is_open) file->unreadable.push_back(path.string() + ": cannot be opened");
}

}  // namespace clearance::acceptance
