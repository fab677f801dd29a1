// SPDX-License-Identifier: Apache-2.0

#include "server/kinds/scene_kinds.h"

#include <cstring>
#include <string>

#include "absl/status/statusor.h"
#include "core/math/tolerance.h"

namespace clearance::server {
namespace {

// Without a scene query bodies have only each other.
absl::StatusOr<SceneQuery::PairScope> ReadPairScope(const v1::ConfigurationColumns& columns) {
  const bool has_scene = columns.has_scene_slot();
  switch (columns.pair_scope()) {
    case v1::PAIR_SCOPE_UNSPECIFIED:
      return has_scene ? SceneQuery::PairScope::kSceneAndSelf : SceneQuery::PairScope::kSelf;
    case v1::PAIR_SCOPE_SELF:
      return SceneQuery::PairScope::kSelf;
    case v1::PAIR_SCOPE_SCENE:
      if (has_scene) return SceneQuery::PairScope::kScene;
      return RefuseArgument({.reason = Reason::kFieldMissing,
                             .field = "configurations.scene_slot",
                             .value = "unset",
                             .limit = "a slot where `pair_scope` is PAIR_SCOPE_SCENE",
                             .message = "The batch asks a scene and names none."});
    default:
      return RefuseArgument({.reason = Reason::kKindUnknown,
                             .field = "configurations.pair_scope",
                             .value = std::to_string(static_cast<int>(columns.pair_scope())),
                             .limit = "PAIR_SCOPE_UNSPECIFIED, PAIR_SCOPE_SCENE or PAIR_SCOPE_SELF",
                             .message = "The server knows no such choice of pairs."});
  }
}

absl::Status Configure(const v1::ConfigurationColumns& columns, ConfigurationRows* rows) {
  const AskedScene& asked = rows->asked;
  if (asked.bodies.empty()) {
    return Refuse(absl::StatusCode::kFailedPrecondition,
                  {.reason = Reason::kQueryBodiesMissing,
                   .field = "configurations",
                   .value = "0 bodies",
                   .limit = ">= 1 query body",
                   .message = "There is no query body to ask about; attach some."});
  }
  const absl::StatusOr<SceneQuery::PairScope> pair_scope = ReadPairScope(columns);
  if (!pair_scope.ok()) return pair_scope.status();
  // A forgotten scene; a caller that asks for PAIR_SCOPE_SELF has not forgotten it.
  const bool has_choice = columns.has_scene_slot() || columns.pair_scope() == v1::PAIR_SCOPE_SELF;
  if (!has_choice && asked.bodies.size() == 1) {
    return RefuseArgument(
        {.reason = Reason::kFieldMissing,
         .field = "configurations.scene_slot",
         .value = "unset",
         .limit = "a scene, or >= 2 query bodies",
         .message = "One query body makes no pair with itself; name the slot of a scene."});
  }
  rows->asked.pair_scope = *pair_scope;
  return absl::OkStatus();
}

// Bodies at their own poses were looked at when they were attached.
MaybeFault CheckEachPose(const RowCheck& check, const ConfigurationRows& rows) {
  const absl::Span<const SceneBody> bodies = rows.asked.bodies;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    MaybeFault fault = CheckPlace(check, ColumnOfBody(rows.poses, k, kPoseNumbers),
                                  bodies[k].body->bounding_radius());
    if (fault) return OfBody(fault, k, bodies.size());
  }
  return std::nullopt;
}

}  // namespace

ConfigurationRows ReadConfigurations(const v1::ConfigurationColumns& columns,
                                     const AskedScene& asked, ColumnReader* reader) {
  ConfigurationRows rows = {.count = columns.count(), .asked = asked, .poses = {}};
  reader->Fail(Configure(columns, &rows));
  const ColumnForm poses = {"configurations.poses", question::poses.width};
  rows.poses = reader->Read<double>(columns.poses(), poses.OfBodies(asked.bodies.size()), nullptr);
  return rows;
}

MaybeFault OfBody(MaybeFault fault, std::size_t body, std::size_t bodies) {
  if (fault) fault->column_row = static_cast<std::uint32_t>(fault->column_row * bodies + body);
  return fault;
}

MaybeFault CheckPoses(const RowCheck& check, const ConfigurationRows& rows, SameInAll* same) {
  if (rows.poses.data == nullptr) return std::nullopt;
  if (rows.poses.stride != 0) return CheckEachPose(check, rows);
  return same->Look(check, [&] { return CheckEachPose(check, rows); });
}

std::vector<RowFault> FindFaultsOf(const ConfigurationRows& rows, const Rows<double>* lengths) {
  SameInAll same;
  return FindFaultsOf(rows.count, [&](const RowCheck& check) {
    MaybeFault fault = CheckPoses(check, rows, &same);
    return fault || lengths == nullptr ? fault : CheckLength(check, *lengths);
  });
}

MaybeFault CheckMargin(const RowCheck& check, const Rows<double>& lengths) {
  if (MaybeFault fault = CheckFiniteLength(check, lengths)) return fault;
  const double length = *lengths.at(check.row);
  if (length <= kLargestMargin) return std::nullopt;
  return check.Because(Fault::kNotRepresentable, lengths, length);
}

Pose PoseOfBody(const ConfigurationRows& rows, std::size_t body, std::size_t row) {
  if (rows.poses.data == nullptr) return rows.asked.bodies[body].X_WB;
  return PoseAt(ColumnOfBody(rows.poses, body, kPoseNumbers), row);
}

// They lie one after another, as ColumnOfBody has them.
void CopyPoses(const ConfigurationRows& rows, std::size_t row, Pose* pose) {
  static_assert(sizeof(Pose) == kPoseNumbers * sizeof(double));
  std::memcpy(static_cast<void*>(pose), rows.poses.at(row),
              rows.asked.bodies.size() * sizeof(Pose));
}

}  // namespace clearance::server
