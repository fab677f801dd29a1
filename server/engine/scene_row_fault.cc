// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/math/tolerance.h"
#include "core/query/time_of_collision.h"
#include "server/engine/row_check.h"
#include "server/engine/row_reader.h"
#include "server/engine/scene_answer.h"

namespace clearance::server {
namespace {

constexpr MotionColumns kMotionColumns = {.displacements = RowColumn::kDisplacements,
                                          .rotations = RowColumn::kRotations,
                                          .pivots = RowColumn::kDisplacements,
                                          .end_poses = RowColumn::kEndPoses};

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

// Holds the faults of one batch that are the same in all rows.
struct SameRows {
  SameInAll poses, motions;
};

// Counts the column's rows by bodies.
MaybeFault OfBody(MaybeFault fault, std::size_t body, std::size_t bodies) {
  if (fault) fault->column_row = static_cast<std::uint32_t>(fault->column_row * bodies + body);
  return fault;
}

// Bodies at their own poses were looked at when they were attached.
MaybeFault CheckEachPose(const RowCheck& check, const ConfigurationRows& rows) {
  const absl::Span<const SceneBody> bodies = rows.asked.bodies;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    MaybeFault fault = CheckPlace(check, ColumnOfBody(rows.poses, k, kPoseNumbers),
                                  RowColumn::kPoses, bodies[k].body->bounding_radius());
    if (fault) return OfBody(fault, k, bodies.size());
  }
  return std::nullopt;
}

MaybeFault CheckPoses(const RowCheck& check, const ConfigurationRows& rows, SameRows* same) {
  if (rows.poses.data == nullptr) return std::nullopt;
  if (rows.poses.stride != 0) return CheckEachPose(check, rows);
  return same->poses.Look(check, [&] { return CheckEachPose(check, rows); });
}

MaybeFault CheckSceneRow(const RowCheck& check, const CheckQuestions& questions, SameRows* same) {
  return CheckPoses(check, questions.configurations, same);
}

MaybeFault CheckSceneRow(const RowCheck& check, const ClearanceQuestions& questions,
                         SameRows* same) {
  if (MaybeFault fault = CheckPoses(check, questions.configurations, same)) return fault;
  return CheckLength(check, questions.max_distances, RowColumn::kMaxDistances);
}

MaybeFault CheckSceneRow(const RowCheck& check, const NearestQuestions& questions, SameRows* same) {
  if (MaybeFault fault = CheckPoses(check, questions.configurations, same)) return fault;
  return CheckLength(check, questions.max_distances, RowColumn::kMaxDistances);
}

// Checks a length that a body may have around it.
MaybeFault CheckMargin(const RowCheck& check, const Rows<double>& lengths, RowColumn column) {
  if (MaybeFault fault = CheckFiniteLength(check, lengths, column)) return fault;
  const double length = *lengths.at(check.row);
  if (length <= kLargestMargin) return std::nullopt;
  return check.Because(Fault::kNotRepresentable, column, lengths, length);
}

MaybeFault CheckShape(const RowCheck& check, const OverlapQuestions& questions,
                      const ShapeTable& table) {
  const std::uint32_t slot = *questions.slots.at(check.row);
  const RigidBody* const body = table.body(slot);
  if (body == nullptr)
    return check.Because(FaultOf(table.state(slot)), RowColumn::kShapeSlots, questions.slots, slot);
  MaybeFault fault =
      CheckPlace(check, questions.poses, RowColumn::kShapePoses, body->bounding_radius());
  return fault ? fault : CheckMargin(check, questions.margins, RowColumn::kMargins);
}

MaybeFault CheckEachMotion(const RowCheck& check, const MotionQuestions& questions) {
  const absl::Span<const SceneBody> bodies = questions.configurations.asked.bodies;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const MotionRows motions = MotionsOfBody(questions, k);
    const Start start = {PoseOfBody(questions.configurations, k, check.row),
                         bodies[k].body->bounding_radius()};
    MaybeFault fault = CheckMotionNumbers(check, motions, kMotionColumns);
    if (!fault) fault = CheckWay(check, start, motions, kMotionColumns);
    if (fault) return OfBody(fault, k, bodies.size());
  }
  return std::nullopt;
}

MaybeFault CheckSceneRow(const RowCheck& check, const MotionQuestions& questions, SameRows* same) {
  if (MaybeFault fault = CheckPoses(check, questions.configurations, same)) return fault;
  const bool is_same = questions.configurations.poses.stride == 0 &&
                       questions.displacements.stride == 0 && questions.rotations.stride == 0 &&
                       questions.end_poses.stride == 0;
  if (!is_same) return CheckEachMotion(check, questions);
  return same->motions.Look(check, [&] { return CheckEachMotion(check, questions); });
}

MaybeFault CheckSceneRow(const RowCheck& check, const RayQuestions& questions, SameRows* /*same*/) {
  if (MaybeFault fault = CheckFinite(check, questions.origins, RowColumn::kOrigins)) return fault;
  if (MaybeFault fault = CheckFinite(check, questions.displacements, RowColumn::kDisplacements))
    return fault;
  if (MaybeFault fault = CheckMargin(check, questions.radii, RowColumn::kRadii)) return fault;
  const double radius = *questions.radii.at(check.row);
  const Vec3d origin = VectorAt(questions.origins, check.row);
  const Motion motion = {.displacement = VectorAt(questions.displacements, check.row),
                         .rotation = {},
                         .pivot = origin};
  if (IsMotionRepresentable(radius, {origin, {}}, motion)) return std::nullopt;
  return check.Because(Fault::kMotionNotRepresentable, RowColumn::kDisplacements,
                       questions.displacements, *questions.displacements.at(check.row));
}

template <class Questions>
std::vector<RowFault> FindSceneFaults(const Questions& questions) {
  std::vector<RowFault> faults;
  SameRows same;
  for (std::uint32_t row = 0; row < RowCountOf(questions); ++row) {
    if (const MaybeFault fault = CheckSceneRow({row}, questions, &same)) faults.push_back(*fault);
  }
  return faults;
}

}  // namespace

std::vector<RowFault> FindFaults(const CheckQuestions& questions, const ShapeTable& /*table*/) {
  return FindSceneFaults(questions);
}

std::vector<RowFault> FindFaults(const ClearanceQuestions& questions, const ShapeTable& /*table*/) {
  return FindSceneFaults(questions);
}

std::vector<RowFault> FindFaults(const NearestQuestions& questions, const ShapeTable& /*table*/) {
  return FindSceneFaults(questions);
}

std::vector<RowFault> FindFaults(const OverlapQuestions& questions, const ShapeTable& table) {
  std::vector<RowFault> faults;
  for (std::uint32_t row = 0; row < questions.count; ++row) {
    if (const MaybeFault fault = CheckShape({row}, questions, table)) faults.push_back(*fault);
  }
  return faults;
}

std::vector<RowFault> FindFaults(const MotionQuestions& questions, const ShapeTable& /*table*/) {
  return FindSceneFaults(questions);
}

std::vector<RowFault> FindFaults(const RayQuestions& questions, const ShapeTable& /*table*/) {
  return FindSceneFaults(questions);
}

}  // namespace clearance::server
