// SPDX-License-Identifier: Apache-2.0
#include "tests/acceptance/case_file.h"

#include <exception>
#include <string>
#include <utility>

#include "tests/acceptance/json_input.h"
#include "tests/acceptance/judge.h"

namespace clearance::acceptance {
namespace {

std::string FamilyOf(const Json& row, const std::string& id) {
  const std::string family = row.contains("family") ? row["family"].get<std::string>() : "";
  return family.empty() ? id.substr(0, id.find('-')) : family;
}

TableShape ShapeOf(const Json& row, const char* key) {
  if (row.contains(key)) return ReadShape(row[key]);
  return NotSent{std::string("no shape '") + key + "'"};
}

client::Pose PoseOf(const Json& row, const char* key) {
  return row.contains(key) && !row[key].is_null() ? ReadPose(row[key]) : client::Pose{};
}

// A pose or motion without wire form is refused like a shape without one.
Question ReadQuestion(const Json& row, TaskFile* file) {
  Question question;
  question.shape_a = file->shapes.size();
  question.shape_b = question.shape_a + 1;
  file->shapes.push_back(ShapeOf(row, "a"));
  file->shapes.push_back(ShapeOf(row, "b"));
  try {
    question.pose_a = PoseOf(row, "pose_a");
    question.pose_b = PoseOf(row, "pose_b");
    if (row.value("query", "distance") == "toc") {
      question.motions = {ReadMotion(row, "motion_a"), ReadMotion(row, "motion_b")};
    }
  } catch (const std::exception& error) {
    file->shapes.back() = NotSent{error.what()};
  }
  return question;
}

}  // namespace

TaskFile ReadCaseFile(const std::filesystem::path& path) {
  TaskFile file;
  file.name = path.string();
  const bool is_open = ForEachLine(path, &file, [&](const Json& row, int line) {
    Task task;
    task.id = row.value("id", path.filename().string() + ":" + std::to_string(line));
    if (!row.contains("expect")) throw InputError("no field 'expect'");
    task.family = FamilyOf(row, task.id);
    task.questions.push_back(ReadQuestion(row, &file));
    task.judge = [row](absl::Span<const Answer> answers) { return JudgeCase(row, answers[0]); };
    file.tasks.push_back(std::move(task));
  });
  if (!is_open) file.unreadable.push_back(path.string() + ": cannot be opened");
  return file;
}

}  // namespace clearance::acceptance
