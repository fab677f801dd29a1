// SPDX-License-Identifier: Apache-2.0
#include "tests/acceptance/data_folder.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <utility>
#include <variant>

#include "tests/acceptance/judge.h"

namespace clearance::acceptance {
namespace {

namespace fs = std::filesystem;
using client::Vec3;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void Grow(const Vec3& p, double radius, Bounds* bounds) {
  const auto [x, y, z] = p;
  bounds->low = {std::min(bounds->low.x, x - radius), std::min(bounds->low.y, y - radius),
                 std::min(bounds->low.z, z - radius)};
  bounds->high = {std::max(bounds->high.x, x + radius), std::max(bounds->high.y, y + radius),
                  std::max(bounds->high.z, z + radius)};
}

// The corners of a box about a core that is not a hull of points.
struct CornersOf {
  std::vector<double> operator()(const client::Cylinder& cylinder) const {
    return OfBox({cylinder.radius, cylinder.radius, cylinder.half_length});
  }
  std::vector<double> operator()(const client::Cone& cone) const {
    return OfBox({cone.radius, cone.radius, cone.half_length});
  }
  std::vector<double> operator()(const client::Ellipsoid& ellipsoid) const {
    return OfBox(ellipsoid.semi_axes);
  }
  template <class Kind>
  std::vector<double> operator()(const Kind&) const {
    return {};
  }

  static std::vector<double> OfBox(const Vec3& half) {
    return {-half.x, -half.y, -half.z, half.x, half.y, half.z};
  }
};

// Returns nothing for a shape that is not sent: its size is never used.
Bounds BoundsOf(const TableShape& shape) {
  if (std::holds_alternative<NotSent>(shape)) return {};
  const auto& content = std::get<client::Shape>(std::get<client::ShapeReference>(shape));
  std::vector<double> vertices = client::BodyVertices(content);
  if (vertices.empty()) vertices = std::visit(CornersOf{}, content.kind);
  Bounds bounds = {{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
  for (std::size_t i = 0; i + 2 < vertices.size(); i += 3) {
    Grow({vertices[i], vertices[i + 1], vertices[i + 2]}, client::BodyRadius(content), &bounds);
  }
  return bounds;
}

Question ReadPair(const Json& row, const FolderShapes& shapes) {
  Question question;
  question.shape_a = shapes.Index(row.at("a").get<std::string>());
  question.shape_b = shapes.Index(row.at("b").get<std::string>());
  question.pose_a = ReadPose(row.at("pose_a"));
  question.pose_b = ReadPose(row.at("pose_b"));
  return question;
}

using RowReader = std::function<Task(const Json& row, Question question, double size)>;

// Every row of one answers file asks about one pair.
void ReadPairs(const fs::path& path, const FolderShapes& shapes, TaskFile* file,
               const RowReader& read) {
  const std::string family = path.stem().string();
  const bool is_open = ForEachLine(path, file, [&](const Json& row, int line) {
    const Question question = ReadPair(row, shapes);
    const double size =
        std::max(Size(shapes.bounds(question.shape_a)), Size(shapes.bounds(question.shape_b)));
    Task task = read(row, question, size);
    task.id = family + ":" + std::to_string(line);
    task.family = family;
    file->tasks.push_back(std::move(task));
  });
  if (!is_open) file->unreadable.push_back(path.string() + ": cannot be opened");
}

Task DistanceTask(const Json& row, Question question, double size) {
  Task task;
  task.questions = {std::move(question)};
  task.judge = [row, size](absl::Span<const Answer> answers) {
    return JudgeDistance(row, size, answers[0]);
  };
  return task;
}

Task TouchingTask(const Json&, Question question, double size) {
  Task task;
  task.questions = {std::move(question)};
  task.judge = [size](absl::Span<const Answer> answers) { return JudgeTouching(size, answers[0]); };
  return task;
}

Task TimeTask(const Json& row, Question question, double) {
  question.motions = Question::Motions{};
  question.motions->a.displacement = ReadVec3(row.at("delta"));
  Task task;
  task.questions = {std::move(question)};
  task.judge = [row](absl::Span<const Answer> answers) {
    return JudgeTimeOfCollision(row, answers[0]);
  };
  return task;
}

}  // namespace

double Size(const Bounds& bounds) {
  return std::hypot(bounds.high.x - bounds.low.x, bounds.high.y - bounds.low.y,
                    bounds.high.z - bounds.low.z);
}

FolderShapes::FolderShapes(const fs::path& folder, TaskFile* file) {
  const fs::path path = folder / "shapes.jsonl";
  const bool is_open = ForEachLine(
      path, file, [&](const Json& row, int) { Add(row.at("name").get<std::string>(), row, file); });
  if (!is_open) file->unreadable.push_back(path.string() + ": cannot be opened");
  if (!fs::exists(folder / "scene.json") || index_of_.count("player") > 0) return;
  std::ifstream stream(folder / "scene.json");
  const Json scene = Json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (scene.is_object() && scene.contains("player") && scene["player"].is_object()) {
    Add("player", scene["player"], file);
  }
}

std::size_t FolderShapes::Index(const std::string& name) const {
  const auto found = index_of_.find(name);
  if (found == index_of_.end()) throw InputError("no shape '" + name + "'");
  return found->second;
}

void FolderShapes::Add(const std::string& name, const Json& shape, TaskFile* file) {
  index_of_[name] = file->shapes.size();
  names_.push_back(name);
  file->shape_names.push_back(name);
  file->shapes.push_back(ReadShape(shape));
  bounds_.push_back(BoundsOf(file->shapes.back()));
}

TaskFile ReadDataFolder(const fs::path& folder) {
  TaskFile file;
  file.name = folder.string();
  const FolderShapes shapes(folder, &file);
  std::vector<fs::path> entries;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  for (const fs::path& path : entries) {
    const std::string name = path.filename().string();
    if (name == "answers_distance.jsonl") {
      ReadPairs(path, shapes, &file, DistanceTask);
    } else if (name == "answers_toc.jsonl") {
      ReadPairs(path, shapes, &file, TimeTask);
    } else if (name == "answers_touching.jsonl") {
      ReadPairs(path, shapes, &file, TouchingTask);
    } else if (name == "answers_moves.jsonl") {
      ReadMoves(folder, shapes, &file);
    } else if (name != "shapes.jsonl" && name != "moves.jsonl" && name != "scene.json") {
      file.notes.push_back("not looked at: " + path.string());
    }
  }
  return file;
}

}  // namespace clearance::acceptance
