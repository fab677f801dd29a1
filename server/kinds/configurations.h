// SPDX-License-Identifier: Apache-2.0
//
// The common parts of kinds that ask about scenes: the scene and the bodies that are asked, and
// rows with a pose for each of the bodies.

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

namespace clearance::server {

// Holds the asker's bodies and rules, and the scene that is asked. Borrowed; not null.
struct AskedScene {
  const Scene* scene = nullptr;
  std::uint64_t revision = 0;
  absl::string_view name = {};         // its origin, for the log; empty: no scene
  absl::Span<const SceneBody> bodies;  // of the asker, by ids
  const PairRules* rules = nullptr;
  Asker::PairScope pair_scope = Asker::PairScope::kSceneAndSelf;
};

// Holds rows with a pose for each of the asker's bodies.
struct ConfigurationRows {
  std::uint32_t count = 0;
  AskedScene asked;
  Rows<double> poses;  // null data: as the bodies were attached
};

// Configurations with more query bodies are asked one by one.
inline constexpr std::size_t kMostBodiesSideBySide = 64;

// Returns the cost of a search that needs distances, in units of one that does not.
inline std::uint64_t UnitsOfDistances(bool exact) { return exact ? 64 : 4; }

// Returns the part of a batch that has its count and names its scene.
template <class Batch>
const auto& AboutOf(const Batch& batch) {
  if constexpr (requires { batch.configurations(); }) {
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

// The reader is told of what is refused.
ConfigurationRows ReadConfigurations(const v1::ConfigurationColumns& columns,
                                     const AskedScene& asked, ColumnReader* reader);

// Reads a column with so many numbers for each of the asker's bodies.
Rows<double> ReadOfBodies(const google::protobuf::RepeatedField<double>& column,
                          const ColumnForm<double>& of_body, std::size_t bodies,
                          ColumnReader* reader);

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

// Returns the faults of the rows' poses and of `lengths`, if not null.
std::vector<RowFault> FindFaultsOf(const ConfigurationRows& rows,
                                   const Rows<double>* lengths = nullptr);

// Checks a length that a body may have around it.
MaybeFault CheckMargin(const RowCheck& check, const Rows<double>& lengths);

// Returns the column of one of so many bodies, with `width` numbers a row for each. Null data stays
// null.
inline Rows<double> ColumnOfBody(const Rows<double>& rows, std::size_t body, std::size_t width) {
  if (rows.data == nullptr) return rows;
  return {rows.data + body * width, rows.stride, rows.name};
}

// Returns the pose of the asker's body k in a row.
Pose PoseOfBody(const ConfigurationRows& rows, std::size_t body, std::size_t row);

// Copies the poses of all of the asker's bodies in a row to `pose` and onwards. Requires: poses.
void CopyPoses(const ConfigurationRows& rows, std::size_t row, Pose* pose);

}  // namespace clearance::server
