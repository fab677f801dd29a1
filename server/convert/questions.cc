// SPDX-License-Identifier: Apache-2.0

#include "server/convert/questions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "server/convert/batch_form.h"
#include "server/guard/refusal.h"

namespace clearance::server {
namespace {

constexpr std::uint64_t kDefaultReplyBytes = 4194304;

constexpr std::uint32_t kDefaultSlotA = 0;
constexpr std::uint32_t kDefaultSlotB = 1;
constexpr std::array<double, kPoseNumbers> kIdentity = {0, 0, 0, 0, 0, 0, 1};
constexpr std::array<double, kVectorNumbers> kZero = {0, 0, 0};
constexpr double kNoDistance = 0;
constexpr double kNoMaximum = std::numeric_limits<double>::infinity();

PairRows ReadPairs(const v1::PairColumns& pairs, ColumnReader* reader) {
  PairRows rows;
  rows.count = pairs.count();
  rows.slots_a = reader->Read(pairs.slots_a(), {"pairs.slots_a", 1, &kDefaultSlotA});
  rows.slots_b = reader->Read(pairs.slots_b(), {"pairs.slots_b", 1, &kDefaultSlotB});
  rows.poses_a = reader->Read(pairs.poses_a(), {"pairs.poses_a", kPoseNumbers, kIdentity.data()});
  rows.poses_b = reader->Read(pairs.poses_b(), {"pairs.poses_b", kPoseNumbers, kIdentity.data()});
  return rows;
}

template <class Batch>
absl::Status CheckBatch(const Batch& batch, const Limits& limits) {
  if (absl::Status status = CheckCount("pairs.count", batch.pairs().count(), limits); !status.ok())
    return status;
  return CheckOptions(batch.options());
}

// The motion columns of one body, as the message has them.
struct MotionFields {
  const google::protobuf::RepeatedField<double>& displacements;
  const google::protobuf::RepeatedField<double>& rotations;
  const google::protobuf::RepeatedField<double>& pivots;
  const google::protobuf::RepeatedField<double>& end_poses;
};
struct MotionNames {
  const char* displacements;
  const char* rotations;
  const char* pivots;
  const char* end_poses;
};

constexpr MotionNames kNamesA = {"displacements_a", "rotations_a", "pivots_a", "end_poses_a"};
constexpr MotionNames kNamesB = {"displacements_b", "rotations_b", "pivots_b", "end_poses_b"};

MotionRows ReadMotions(const MotionFields& fields, const MotionNames& names, ColumnReader* reader) {
  const bool has_motion =
      !fields.displacements.empty() || !fields.rotations.empty() || !fields.pivots.empty();
  if (has_motion && !fields.end_poses.empty()) {
    reader->Fail(RefuseArgument(
        {.field = names.end_poses,
         .value = FormatNumber(static_cast<std::uint64_t>(fields.end_poses.size())) + " numbers",
         .limit = "no displacements, rotations or pivots of the same body",
         .message = "A motion is given either by its end pose or by its parts."}));
  }
  MotionRows rows;
  rows.displacements =
      reader->Read(fields.displacements, {names.displacements, kVectorNumbers, kZero.data()});
  rows.rotations = reader->Read(fields.rotations, {names.rotations, kVectorNumbers, kZero.data()});
  rows.pivots =
      reader->Read(fields.pivots, ColumnForm<double>{names.pivots, kVectorNumbers, nullptr});
  rows.end_poses =
      reader->Read(fields.end_poses, ColumnForm<double>{names.end_poses, kPoseNumbers, nullptr});
  return rows;
}

}  // namespace

absl::StatusOr<DistanceQuestions> ParseQuestions(const v1::DistanceBatch& batch,
                                                 const Limits& limits) {
  if (absl::Status status = CheckBatch(batch, limits); !status.ok()) return status;
  if (!std::isfinite(batch.tolerance()) || batch.tolerance() < 0) {
    return RefuseArgument({.field = "tolerance",
                           .value = FormatNumber(batch.tolerance()),
                           .limit = "finite, >= 0",
                           .message = "invalid tolerance: send a finite number >= 0"});
  }
  if (std::isnan(batch.max_contact_separation())) {
    return RefuseArgument({.field = "max_contact_separation",
                           .value = FormatNumber(batch.max_contact_separation()),
                           .limit = "not NaN",
                           .message = "invalid separation: send a number"});
  }
  ColumnReader reader(batch.pairs().count());
  DistanceQuestions questions;
  if (batch.has_max_contact_separation())
    questions.max_contact_separation = batch.max_contact_separation();
  questions.pairs = ReadPairs(batch.pairs(), &reader);
  questions.max_distances = reader.Read(batch.max_distances(), {"max_distances", 1, &kNoMaximum});
  questions.tolerance = batch.tolerance();
  questions.exact = batch.exact();
  questions.warm_start = batch.warm_start();
  if (!reader.status().ok()) return reader.status();
  return questions;
}

absl::StatusOr<IntersectionQuestions> ParseQuestions(const v1::IntersectionBatch& batch,
                                                     const Limits& limits) {
  if (absl::Status status = CheckBatch(batch, limits); !status.ok()) return status;
  ColumnReader reader(batch.pairs().count());
  IntersectionQuestions questions;
  questions.exact = batch.exact();
  questions.pairs = ReadPairs(batch.pairs(), &reader);
  if (!reader.status().ok()) return reader.status();
  return questions;
}

absl::StatusOr<TimeOfCollisionQuestions> ParseQuestions(const v1::TimeOfCollisionBatch& batch,
                                                        const Limits& limits) {
  if (absl::Status status = CheckBatch(batch, limits); !status.ok()) return status;
  ColumnReader reader(batch.pairs().count());
  TimeOfCollisionQuestions questions;
  questions.pairs = ReadPairs(batch.pairs(), &reader);
  questions.motions_a = ReadMotions(
      {batch.displacements_a(), batch.rotations_a(), batch.pivots_a(), batch.end_poses_a()},
      kNamesA, &reader);
  questions.motions_b = ReadMotions(
      {batch.displacements_b(), batch.rotations_b(), batch.pivots_b(), batch.end_poses_b()},
      kNamesB, &reader);
  questions.target_distances =
      reader.Read(batch.target_distances(), {"target_distances", 1, &kNoDistance});
  questions.ignore_initial_contact = batch.ignore_initial_contact();
  if (!reader.status().ok()) return reader.status();
  return questions;
}

absl::Duration TimeBudgetOf(const v1::BatchOptions& options) {
  if (!options.has_time_budget()) return absl::InfiniteDuration();
  return absl::Seconds(options.time_budget().seconds()) +
         absl::Nanoseconds(options.time_budget().nanos());
}

std::uint64_t MaxReplyBytesOf(const v1::BatchOptions& options, const Limits& limits) {
  const std::uint64_t accepted = options.max_reply_bytes();
  return std::min(accepted == 0 ? kDefaultReplyBytes : accepted, limits.max_reply_bytes);
}

}  // namespace clearance::server
