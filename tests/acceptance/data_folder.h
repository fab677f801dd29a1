// SPDX-License-Identifier: Apache-2.0
//
// Reads a folder with shapes.jsonl and reference answers: answers_distance, answers_toc,
// answers_touching and answers_moves (with moves.jsonl and scene.json).

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/acceptance/json_input.h"
#include "tests/acceptance/question.h"

namespace clearance::acceptance {

// The box that holds a shape, in the shape's own frame, metres.
struct Bounds {
  client::Vec3 low;
  client::Vec3 high;
};

// The diagonal: what a shape's size means in tolerances.
double Size(const Bounds& bounds);

// The shapes of a folder by name, each with its bounds.
class FolderShapes {
 public:
  // Reads shapes.jsonl, and the player of scene.json if there is one.
  FolderShapes(const std::filesystem::path& folder, TaskFile* file);

  // Throws InputError for a name that the folder does not have.
  std::size_t Index(const std::string& name) const;
  const Bounds& bounds(std::size_t index) const { return bounds_[index]; }
  const std::string& name(std::size_t index) const { return names_[index]; }
  std::size_t size() const { return names_.size(); }

 private:
  void Add(const std::string& name, const Json& shape, TaskFile* file);

  std::vector<std::string> names_;
  std::vector<Bounds> bounds_;
  std::map<std::string, std::size_t> index_of_;
};

TaskFile ReadDataFolder(const std::filesystem::path& folder);

// Adds two tasks for every row of answers_moves.jsonl: brush by brush, where those take part whose
// bounds come near the swept player's, and as one question of a scene of all brushes. Throws
// InputError without a player.
void ReadMoves(const std::filesystem::path& folder, const FolderShapes& shapes, TaskFile* file);

}  // namespace clearance::acceptance
