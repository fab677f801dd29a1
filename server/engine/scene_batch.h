// SPDX-License-Identifier: Apache-2.0
//
// Batches of questions about scenes as plain numbers, as batch.h has them for pairs, with the scene
// and the bodies that are asked.

#ifndef CLEARANCE_SERVER_ENGINE_SCENE_BATCH_H_
#define CLEARANCE_SERVER_ENGINE_SCENE_BATCH_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/scene/scene.h"
#include "core/scene/scene_query.h"
#include "server/engine/batch.h"

namespace clearance::server {

// Holds the asker's bodies and rules, and the scene that is asked. Borrowed; not null.
struct AskedScene {
  const Scene* scene = nullptr;
  std::uint64_t revision = 0;
  absl::string_view name = {};         // its origin, for the log; empty: no scene
  absl::Span<const SceneBody> bodies;  // of the asker, by ids
  const PairRules* rules = nullptr;
  Asker::Among among = Asker::Among::kSceneAndSelf;
};

// Holds rows with a pose for each of the asker's bodies.
struct ConfigurationRows {
  std::uint32_t count = 0;
  AskedScene asked;
  Rows<double> poses;  // null data: as the bodies were attached
};

struct CheckQuestions {
  ConfigurationRows configurations;
  bool wants_free_radii = false;
  std::uint32_t max_pairs = 0;  // that a row lists; 0: it lists none
};

struct ClearanceQuestions {
  ConfigurationRows configurations;
  Rows<double> max_distances;
  double tolerance = 0;  // finite, >= 0
  bool exact = false;
};

struct NearestQuestions {
  ConfigurationRows configurations;
  std::uint32_t max_pairs = 1;  // >= 1
  Rows<double> max_distances;
  double tolerance = 0;  // finite, >= 0
  bool exact = false;
};

// Asks about one shape in each row.
struct OverlapQuestions {
  std::uint32_t count = 0;
  AskedScene asked;  // its scene alone
  Rows<std::uint32_t> slots;
  Rows<double> poses, margins;
  Rows<std::uint32_t> groups, masks;
  std::uint32_t max_pairs = 0;
};

// Asks about motions, given by end_poses or by the other columns. Null data of a column: bodies do
// not move in that respect.
struct MotionQuestions {
  ConfigurationRows configurations;
  Rows<double> displacements, rotations, end_poses;
  bool ignore_initial_contact = false;
  std::uint32_t max_pairs = 0;
};

struct RayQuestions {
  std::uint32_t count = 0;
  AskedScene asked;  // its scene alone
  Rows<double> origins, displacements, radii;
  Rows<std::uint32_t> groups, masks;
  RayKind kind = RayKind::kClosest;
  std::uint32_t max_pairs = 0;
};

inline std::uint32_t RowCountOf(const CheckQuestions& q) { return q.configurations.count; }
inline std::uint32_t RowCountOf(const ClearanceQuestions& q) { return q.configurations.count; }
inline std::uint32_t RowCountOf(const NearestQuestions& q) { return q.configurations.count; }
inline std::uint32_t RowCountOf(const OverlapQuestions& q) { return q.count; }
inline std::uint32_t RowCountOf(const MotionQuestions& q) { return q.configurations.count; }
inline std::uint32_t RowCountOf(const RayQuestions& q) { return q.count; }

inline const AskedScene& AskedBy(const CheckQuestions& q) { return q.configurations.asked; }
inline const AskedScene& AskedBy(const ClearanceQuestions& q) { return q.configurations.asked; }
inline const AskedScene& AskedBy(const NearestQuestions& q) { return q.configurations.asked; }
inline const AskedScene& AskedBy(const OverlapQuestions& q) { return q.asked; }
inline const AskedScene& AskedBy(const MotionQuestions& q) { return q.configurations.asked; }
inline const AskedScene& AskedBy(const RayQuestions& q) { return q.asked; }

// Returns the column of one of so many bodies, with `width` numbers a row for each. Null data stays
// null.
inline Rows<double> ColumnOfBody(const Rows<double>& rows, std::size_t body, std::size_t width) {
  if (rows.data == nullptr) return rows;
  return {rows.data + body * width, rows.stride};
}

// Returns the pose of the asker's body k in a row.
Pose PoseOfBody(const ConfigurationRows& rows, std::size_t body, std::size_t row);

// Copies the poses of all of the asker's bodies in a row to `pose` and onwards. Requires: poses.
void CopyPoses(const ConfigurationRows& rows, std::size_t row, Pose* pose);

// Returns the motion of the asker's body k, in the form that pairs have.
MotionRows MotionsOfBody(const MotionQuestions& questions, std::size_t body);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_ENGINE_SCENE_BATCH_H_
