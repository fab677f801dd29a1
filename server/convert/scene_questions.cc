// SPDX-License-Identifier: Apache-2.0

#include "server/convert/scene_questions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "server/convert/batch_form.h"
#include "server/convert/body_defaults.h"
#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

constexpr double kAnyDistance = std::numeric_limits<double>::infinity();
constexpr double kPointRadius = 0;
constexpr std::array<double, kVectorNumbers> kNowhere = {0, 0, 0};

absl::Status CheckTolerance(double tolerance) {
  if (std::isfinite(tolerance) && tolerance >= 0) return absl::OkStatus();
  return RefuseArgument({.field = "tolerance",
                         .value = FormatNumber(tolerance),
                         .limit = "finite, >= 0",
                         .message = "invalid tolerance: send a finite number >= 0"});
}

absl::Status CheckMaxPairs(std::uint64_t max_pairs, const Limits& limits) {
  if (max_pairs <= limits.max_row_pairs) return absl::OkStatus();
  return Refuse(absl::StatusCode::kResourceExhausted,
                {.field = "max_pairs",
                 .value = FormatNumber(max_pairs),
                 .limit = "max_row_pairs <= " + FormatNumber(limits.max_row_pairs),
                 .message = "The batch lists too many pairs a row; ask for fewer."});
}

// Without a scene own bodies have only each other.
absl::StatusOr<Asker::Among> ReadAmong(const v1::ConfigurationColumns& columns) {
  const bool has_scene = columns.has_scene_slot();
  switch (columns.among()) {
    case v1::AMONG_UNSPECIFIED:
      return has_scene ? Asker::Among::kSceneAndSelf : Asker::Among::kSelf;
    case v1::AMONG_SELF:
      return Asker::Among::kSelf;
    case v1::AMONG_SCENE:
      if (has_scene) return Asker::Among::kScene;
      return RefuseArgument({.field = "configurations.scene_slot",
                             .value = "unset",
                             .limit = "a slot where `among` is AMONG_SCENE",
                             .message = "The batch asks a scene and names none."});
    default:
      return RefuseArgument({.field = "configurations.among",
                             .value = std::to_string(static_cast<int>(columns.among())),
                             .limit = "AMONG_UNSPECIFIED, AMONG_SCENE or AMONG_SELF",
                             .message = "The server knows no such choice of pairs."});
  }
}

// A column with so many numbers for each body.
Rows<double> ReadOfBodies(const google::protobuf::RepeatedField<double>& column,
                          const ColumnForm<double>& of_body, std::size_t bodies,
                          ColumnReader* reader) {
  return reader->Read(column, ColumnForm<double>{of_body.name, of_body.width * bodies, nullptr});
}

absl::Status ReadConfigurations(const v1::ConfigurationColumns& columns, const AskedScene& asked,
                                ColumnReader* reader, ConfigurationRows* rows) {
  if (asked.bodies.empty()) {
    return Refuse(absl::StatusCode::kFailedPrecondition,
                  {.field = "configurations",
                   .value = "0 bodies",
                   .limit = ">= 1 own body",
                   .message = "There is no own body to ask about; attach some."});
  }
  const absl::StatusOr<Asker::Among> among = ReadAmong(columns);
  if (!among.ok()) return among.status();
  // A forgotten scene; a caller that asks for AMONG_SELF has not forgotten it.
  const bool has_choice = columns.has_scene_slot() || columns.among() == v1::AMONG_SELF;
  if (!has_choice && asked.bodies.size() == 1) {
    return RefuseArgument(
        {.field = "configurations.scene_slot",
         .value = "unset",
         .limit = "a scene, or >= 2 own bodies",
         .message = "One own body makes no pair with itself; name the slot of a scene."});
  }
  rows->count = columns.count();
  rows->asked = asked;
  rows->asked.among = *among;
  rows->poses = ReadOfBodies(columns.poses(), {"configurations.poses", kPoseNumbers, nullptr},
                             asked.bodies.size(), reader);
  return absl::OkStatus();
}

template <class Batch>
absl::Status CheckSceneBatch(const Batch& batch, const Limits& limits) {
  absl::Status status = CheckCount("configurations.count", batch.configurations().count(), limits);
  status.Update(CheckOptions(batch.options()));
  return status;
}

}  // namespace

absl::StatusOr<CheckQuestions> ParseSceneQuestions(const v1::CheckBatch& batch,
                                                   const AskedScene& asked, const Limits& limits) {
  absl::Status status = CheckSceneBatch(batch, limits);
  status.Update(CheckMaxPairs(batch.max_pairs(), limits));
  if (!status.ok()) return status;
  ColumnReader reader(batch.configurations().count());
  CheckQuestions questions;
  questions.max_pairs = batch.max_pairs();
  questions.wants_free_radii = batch.detail().free_radii();
  reader.Fail(
      ReadConfigurations(batch.configurations(), asked, &reader, &questions.configurations));
  if (!reader.status().ok()) return reader.status();
  return questions;
}

absl::StatusOr<ClearanceQuestions> ParseSceneQuestions(const v1::ClearanceBatch& batch,
                                                       const AskedScene& asked,
                                                       const Limits& limits) {
  if (absl::Status status = CheckSceneBatch(batch, limits); !status.ok()) return status;
  if (absl::Status status = CheckTolerance(batch.tolerance()); !status.ok()) return status;
  ColumnReader reader(batch.configurations().count());
  ClearanceQuestions questions;
  reader.Fail(
      ReadConfigurations(batch.configurations(), asked, &reader, &questions.configurations));
  questions.max_distances = reader.Read(batch.max_distances(), {"max_distances", 1, &kAnyDistance});
  questions.tolerance = batch.tolerance();
  questions.exact = batch.exact();
  if (!reader.status().ok()) return reader.status();
  return questions;
}

absl::StatusOr<NearestQuestions> ParseSceneQuestions(const v1::NearestBatch& batch,
                                                     const AskedScene& asked,
                                                     const Limits& limits) {
  absl::Status status = CheckSceneBatch(batch, limits);
  status.Update(CheckMaxPairs(batch.max_pairs(), limits));
  status.Update(CheckTolerance(batch.tolerance()));
  if (!status.ok()) return status;
  ColumnReader reader(batch.configurations().count());
  NearestQuestions questions;
  questions.max_pairs = std::max(1U, batch.max_pairs());
  reader.Fail(
      ReadConfigurations(batch.configurations(), asked, &reader, &questions.configurations));
  questions.max_distances = reader.Read(batch.max_distances(), {"max_distances", 1, &kAnyDistance});
  questions.tolerance = batch.tolerance();
  questions.exact = batch.exact();
  if (!reader.status().ok()) return reader.status();
  return questions;
}

absl::StatusOr<OverlapQuestions> ParseSceneQuestions(const v1::OverlapBatch& batch,
                                                     const AskedScene& asked,
                                                     const Limits& limits) {
  absl::Status status = CheckCount("count", batch.count(), limits);
  status.Update(CheckOptions(batch.options()));
  status.Update(CheckMaxPairs(batch.max_pairs(), limits));
  if (!status.ok()) return status;
  ColumnReader reader(batch.count());
  OverlapQuestions questions;
  questions.count = batch.count();
  questions.asked = asked;
  questions.slots = reader.Read(batch.shape_slots(), {"shape_slots", 1, &kFirstSlot});
  questions.poses = reader.Read(batch.poses(), {"poses", kPoseNumbers, kAtOrigin.data()});
  questions.margins = reader.Read(batch.margins(), {"margins", 1, &kNoMargin});
  questions.groups = reader.Read(batch.groups(), {"groups", 1, &kDefaultGroups});
  questions.masks = reader.Read(batch.masks(), {"masks", 1, &kAllGroups});
  questions.max_pairs = batch.max_pairs();
  if (!reader.status().ok()) return reader.status();
  return questions;
}

absl::StatusOr<MotionQuestions> ParseSceneQuestions(const v1::MotionBatch& batch,
                                                    const AskedScene& asked, const Limits& limits) {
  absl::Status status = CheckSceneBatch(batch, limits);
  status.Update(CheckMaxPairs(batch.max_pairs(), limits));
  if (!status.ok()) return status;
  ColumnReader reader(batch.configurations().count());
  MotionQuestions questions;
  questions.max_pairs = batch.max_pairs();
  reader.Fail(
      ReadConfigurations(batch.configurations(), asked, &reader, &questions.configurations));
  const bool has_parts = !batch.displacements().empty() || !batch.rotations().empty();
  if (has_parts && !batch.end_poses().empty()) {
    reader.Fail(RefuseArgument(
        {.field = "end_poses",
         .value = FormatNumber(static_cast<std::uint64_t>(batch.end_poses_size())) + " numbers",
         .limit = "no displacements or rotations",
         .message = "A motion is given either by its end poses or by its parts."}));
  }
  const std::size_t bodies = asked.bodies.size();
  questions.displacements = ReadOfBodies(
      batch.displacements(), {"displacements", kVectorNumbers, nullptr}, bodies, &reader);
  questions.rotations =
      ReadOfBodies(batch.rotations(), {"rotations", kVectorNumbers, nullptr}, bodies, &reader);
  questions.end_poses =
      ReadOfBodies(batch.end_poses(), {"end_poses", kPoseNumbers, nullptr}, bodies, &reader);
  questions.ignore_initial_contact = batch.ignore_initial_contact();
  if (!reader.status().ok()) return reader.status();
  return questions;
}

absl::StatusOr<RayQuestions> ParseSceneQuestions(const v1::RayBatch& batch, const AskedScene& asked,
                                                 const Limits& limits) {
  absl::Status status = CheckCount("count", batch.count(), limits);
  status.Update(CheckOptions(batch.options()));
  status.Update(CheckMaxPairs(batch.max_pairs(), limits));
  if (!status.ok()) return status;
  ColumnReader reader(batch.count());
  RayQuestions questions;
  questions.max_pairs = batch.max_pairs();
  questions.count = batch.count();
  questions.asked = asked;
  questions.origins = reader.Read(batch.origins(), {"origins", kVectorNumbers, kNowhere.data()});
  questions.displacements =
      reader.Read(batch.displacements(), {"displacements", kVectorNumbers, kNowhere.data()});
  questions.radii = reader.Read(batch.radii(), {"radii", 1, &kPointRadius});
  questions.groups = reader.Read(batch.groups(), {"groups", 1, &kDefaultGroups});
  questions.masks = reader.Read(batch.masks(), {"masks", 1, &kAllGroups});
  questions.kind = batch.any() ? RayKind::kAny : RayKind::kClosest;
  if (!reader.status().ok()) return reader.status();
  return questions;
}

}  // namespace clearance::server
