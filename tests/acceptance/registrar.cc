// SPDX-License-Identifier: Apache-2.0
#include "tests/acceptance/registrar.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <variant>
#include <vector>

namespace clearance::acceptance {
namespace {

constexpr std::size_t kItemsPerBatch = 256;
constexpr std::size_t kNumbersPerBatch = 200000;
constexpr std::size_t kLongestName = 128;

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-' ||
         c == '/';
}

bool IsRegistryName(const std::string& name) {
  return !name.empty() && name.size() <= kLongestName &&
         std::all_of(name.begin(), name.end(), IsNameCharacter) &&
         std::isalnum(static_cast<unsigned char>(name[0])) != 0;
}

const client::Shape* InlineShape(const TableShape& shape) {
  const auto* reference = std::get_if<client::ShapeReference>(&shape);
  return reference == nullptr ? nullptr : std::get_if<client::Shape>(reference);
}

const client::Hull* PlainHull(const client::Shape* shape) {
  const auto* hull = shape == nullptr ? nullptr : std::get_if<client::Hull>(&shape->kind);
  return hull != nullptr && hull->vertices.size() % 3 == 0 ? hull : nullptr;
}

// Registers hulls in columns until a batch is full.
class HullBatch {
 public:
  HullBatch(const client::Client& client, const client::Limits& limits, TaskFile* file)
      : client_(client),
        most_items_(std::min<std::uint64_t>(kItemsPerBatch,
                                            std::max<std::uint64_t>(1, limits.max_batch_hulls))),
        file_(file) {
    columns_.replace = true;
  }

  void Add(std::size_t index, const client::Hull& hull, double radius) {
    const bool is_full = indices_.size() >= most_items_ ||
                         columns_.vertices.size() + hull.vertices.size() > kNumbersPerBatch;
    if (is_full) Flush();
    indices_.push_back(index);
    columns_.names.push_back(RegistryName(file_->shape_names[index], index));
    columns_.vertex_counts.push_back(static_cast<std::uint32_t>(hull.vertices.size() / 3));
    columns_.vertices.insert(columns_.vertices.end(), hull.vertices.begin(), hull.vertices.end());
    columns_.swept_sphere_radii.push_back(radius);
  }

  void Flush() {
    if (indices_.empty()) return;
    const absl::StatusOr<client::BatchRegistration> done = client_.BatchRegisterHulls(columns_);
    if (done.ok()) {
      for (std::size_t i = 0; i < indices_.size() && i < done->digests.size(); ++i) {
        if (!done->digests[i].empty())
          file_->shapes[indices_[i]] = client::ByName{columns_.names[i]};
      }
    } else {
      file_->notes.push_back("registration: " + done.status().ToString());
    }
    indices_.clear();
    columns_ = {};
    columns_.replace = true;
  }

 private:
  const client::Client& client_;
  std::size_t most_items_;
  TaskFile* file_;
  std::vector<std::size_t> indices_;
  client::HullColumns columns_;
};

}  // namespace

std::string RegistryName(const std::string& name, std::size_t index) {
  if (IsRegistryName(name)) return name;
  std::string mapped = "score/" + std::to_string(index) + "-";
  for (const char c : name) {
    const char lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    mapped.push_back(IsNameCharacter(lower) ? lower : '-');
  }
  return mapped.substr(0, kLongestName);
}

void RegisterShapes(const client::Client& client, const client::Limits& limits, TaskFile* file) {
  HullBatch batch(client, limits, file);
  for (std::size_t i = 0; i < file->shape_names.size(); ++i) {
    const client::Shape* shape = InlineShape(file->shapes[i]);
    if (shape == nullptr) continue;
    if (const client::Hull* hull = PlainHull(shape)) {
      batch.Add(i, *hull, shape->swept_sphere_radius);
      continue;
    }
    const std::string name = RegistryName(file->shape_names[i], i);
    const auto done = client.Register(name, *shape, {.replace = true, .validate_only = false});
    if (done.ok()) file->shapes[i] = client::ByName{name};
  }
  batch.Flush();
  std::size_t refused = 0;
  for (std::size_t i = 0; i < file->shape_names.size(); ++i) {
    refused += InlineShape(file->shapes[i]) != nullptr ? 1 : 0;
  }
  if (refused > 0) file->notes.push_back(std::to_string(refused) + " shapes were not registered");
}

}  // namespace clearance::acceptance
