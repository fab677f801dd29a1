// SPDX-License-Identifier: Apache-2.0
//
// The kinds of questions that ask about scenes, and what they have in common: the scene and the
// bodies that are asked, and rows with a pose for each of the bodies.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "clearance/v1/scene_query.pb.h"
#include "core/scene/scene.h"
#include "core/scene/scene_query.h"
#include "server/convert/batch_form.h"
#include "server/engine/row_check.h"
#include "server/engine/rows.h"
#include "server/kinds/reply_columns.h"

namespace clearance::server {

// Holds the query's bodies and rules, and the scene that is asked. Borrowed; not null.
struct AskedScene {
  const Scene* scene = nullptr;
  std::uint64_t revision = 0;
  absl::string_view name = {};         // its origin, for the log; empty: no scene
  absl::Span<const SceneBody> bodies;  // of the query, by ids
  const PairRules* rules = nullptr;
  SceneQuery::PairScope pair_scope = SceneQuery::PairScope::kSceneAndSelf;
};

struct ConfigurationRows {
  std::uint32_t count = 0;
  AskedScene asked;
  Rows<double> poses;  // null data: as the bodies were attached
};

// Configurations with more query bodies are asked one by one.
inline constexpr std::size_t kMostBodiesSideBySide = 64;

// Returns the cost of a search that needs distances, in units of one that does not.
inline std::uint64_t UnitsOfDistances(bool exact) { return exact ? 64 : 4; }

// Returns the part of a batch that has its count and names its scene, if it is about one.
template <class Batch>
const auto& AboutOf(const Batch& batch) {
  if constexpr (requires { batch.pairs().count(); }) {
    return batch.pairs();
  } else if constexpr (requires { batch.configurations(); }) {
    return batch.configurations();
  } else {
    return batch;
  }
}

// Returns the part of questions that has their count and the scene that is asked.
template <class Questions>
const auto& RowsOf(const Questions& questions) {
  if constexpr (requires { questions.pairs; }) {
    return questions.pairs;
  } else if constexpr (requires { questions.configurations; }) {
    return questions.configurations;
  } else {
    return questions;
  }
}

ConfigurationRows ReadConfigurations(const v1::ConfigurationColumns& columns,
                                     const AskedScene& asked, ColumnReader* reader);

// Checks values that are the same in all rows in the first row alone: a message may ask about many
// bodies in many rows and hold next to nothing.
class SameInAll {
 public:
  template <class Find>
  MaybeFault Look(const RowCheck& check, const Find& find) {
    if (!found_) found_ = find();
    MaybeFault fault = *found_;
    if (fault) fault->index = check.row;
    return fault;
  }

 private:
  std::optional<MaybeFault> found_;
};

// Counts the column's rows by bodies.
MaybeFault OfBody(MaybeFault fault, std::size_t body, std::size_t bodies);

// `same` is one for all rows of the batch.
MaybeFault CheckPoses(const RowCheck& check, const ConfigurationRows& rows, SameInAll* same);

// Checks the rows' poses and `lengths`, if not null.
std::vector<RowFault> FindFaultsOf(const ConfigurationRows& rows,
                                   const Rows<double>* lengths = nullptr);

MaybeFault CheckMargin(const RowCheck& check, const Rows<double>& lengths);

// Returns the column of one of so many bodies, with `width` numbers a row for each. Null data stays
// null.
inline Rows<double> ColumnOfBody(const Rows<double>& rows, std::size_t body, std::size_t width) {
  if (rows.data == nullptr) return rows;
  return {rows.data + body * width, rows.stride, rows.name};
}

Pose PoseOfBody(const ConfigurationRows& rows, std::size_t body, std::size_t row);

// Copies the poses of all of the query's bodies in a row to `pose` and onwards. Requires: poses.
void CopyPoses(const ConfigurationRows& rows, std::size_t row, Pose* pose);

struct CheckQuestions {
  ConfigurationRows configurations;
  bool wants_free_radii = false;
  std::uint32_t max_pairs = 0;  // that a row lists; 0: it lists none
};

inline std::uint64_t UnitsASearch(const v1::CheckBatch& batch) {
  return (batch.detail().free_radii() ? 4 : 1) + (batch.max_pairs() > 0 ? 4 : 0);
}

struct MinimumDistanceQuestions {
  ConfigurationRows configurations;
  Rows<double> max_distances;
  double tolerance = 0;  // finite, >= 0
  bool exact = false;

  MinimumDistanceOptions OptionsOf(std::size_t row) const {
    return {.max_distance = *max_distances.at(row), .tolerance = tolerance, .exact = exact};
  }
};

inline std::uint64_t UnitsASearch(const v1::MinimumDistanceBatch& batch) {
  return UnitsOfDistances(batch.exact());
}

struct NearestQuestions : MinimumDistanceQuestions {
  std::uint32_t max_pairs = 1;  // >= 1
};

inline std::uint64_t UnitsASearch(const v1::NearestBatch& batch) {
  return UnitsOfDistances(batch.exact()) + batch.max_pairs() / 4;
}

struct OverlapQuestions {
  std::uint32_t count = 0;
  AskedScene asked;  // its scene alone
  Rows<std::uint32_t> slots;
  Rows<double> poses, margins;
  Rows<std::uint32_t> groups, masks;
  std::uint32_t max_pairs = 0;
};

inline std::uint64_t UnitsASearch(const v1::OverlapBatch& batch) {
  return batch.max_pairs() > 0 ? 4 : 1;
}

void ReadQuestions(const v1::OverlapBatch& batch, ColumnReader* reader,
                   OverlapQuestions* questions);

// Given by end_poses or by the other columns. Null data of a column: bodies do not move in that
// respect.
struct SweepQuestions {
  ConfigurationRows configurations;
  Rows<double> displacements, rotations, end_poses;
  bool ignore_initial_contact = false;
  std::uint32_t max_pairs = 0;
};

inline std::uint64_t UnitsASearch(const v1::SweepBatch& batch) {
  const bool may_turn = batch.rotations_size() > 0 || batch.end_poses_size() > 0;
  return std::uint64_t{may_turn ? 16U : 2U} * (batch.max_pairs() > 0 ? 2 : 1);
}

void ReadQuestions(const v1::SweepBatch& batch, ColumnReader* reader, SweepQuestions* questions);

struct RayQuestions {
  std::uint32_t count = 0;
  AskedScene asked;  // its scene alone
  Rows<double> origins, displacements, radii;
  Rows<std::uint32_t> groups, masks;
  bool any = false;  // hit, not the first
  std::uint32_t max_pairs = 0;
};

inline std::uint64_t UnitsASearch(const v1::RayBatch& batch) {
  return batch.max_pairs() > 0 ? 4 : 1;
}

void ReadQuestions(const v1::RayBatch& batch, ColumnReader* reader, RayQuestions* questions);

}  // namespace clearance::server
