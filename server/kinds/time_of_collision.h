// SPDX-License-Identifier: Apache-2.0
//
// Times of collision of pairs.

#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "clearance/v1/query.pb.h"
#include "core/query/time_of_collision.h"
#include "server/engine/answer.h"
#include "server/kinds/pairs.h"
#include "server/kinds/reply_columns.h"

namespace clearance::server {

struct TimeOfCollisionQuestions {
  PairRows pairs;
  MotionRows motions_a, motions_b;
  Rows<double> target_distances;
  bool ignore_initial_contact = false;
};

struct TimeOfCollisionKind {
  using Batch = v1::TimeOfCollisionBatch;
  using Result = v1::TimeOfCollisionBatchResult;
  using Questions = TimeOfCollisionQuestions;
  using Detail = v1::TimeOfCollisionDetail;

  static constexpr std::uint64_t kUnitsARow = 32;

  static constexpr auto kLeaves = [](const Detail& detail, const Batch& batch) {
    return detail.times() && batch.ignore_initial_contact();
  };
  static constexpr auto kProofBytes = [](const Detail& detail) {
    return MotionProof::kCapacity * (5 * kNumberBytes + (detail.pieces() ? 2 * kIndexBytes : 0));
  };

  static constexpr auto kColumns = std::tuple(
      Numbers{&Columns::states, &Result::mutable_states, kAlways},
      Numbers{&Columns::t_free, &Result::mutable_t_free, &Detail::times},
      Numbers{&Columns::t_hit, &Result::mutable_t_hit, &Detail::times},
      Numbers{&Columns::t_leave, &Result::mutable_t_leave, kLeaves},
      Numbers{&Columns::distances, &Result::mutable_distances, &Detail::distances}.Or(kNoDistance),
      Numbers{&Columns::points_a, &Result::mutable_points_a, &Detail::points, kVector},
      Numbers{&Columns::points_b, &Result::mutable_points_b, &Detail::points, kVector},
      Numbers{&Columns::normals, &Result::mutable_normals, &Detail::normals, kVector},
      Numbers{&Columns::iterations, &Result::mutable_iterations, &Detail::iterations, 1,
              kVarintBytes},
      Numbers{&Columns::pieces_a, &Result::mutable_pieces_a, &Detail::pieces},
      Numbers{&Columns::pieces_b, &Result::mutable_pieces_b, &Detail::pieces},
      Entries{&Columns::motion_proofs, &Result::mutable_proofs, &Detail::proofs, kProofBytes},
      Numbers{&Columns::proofs_truncated,
              [](Result* result) { return result->mutable_proofs()->mutable_truncated(); },
              &Detail::proofs});

  static Detail DetailOf(const Batch& batch) { return DetailOr(batch, &Detail::set_times); }
  // A rotating body may take thousands of steps a row.
  static bool MayBeDear(const Batch& batch) {
    return batch.rotations_a_size() > 0 || batch.rotations_b_size() > 0 ||
           batch.end_poses_a_size() > 0 || batch.end_poses_b_size() > 0;
  }
};

void ReadQuestions(const v1::TimeOfCollisionBatch& batch, ColumnReader* reader,
                   TimeOfCollisionQuestions* questions);
std::vector<RowFault> FindFaults(const TimeOfCollisionQuestions& questions,
                                 const ShapeTable& table);
std::uint32_t AnswerRows(const TimeOfCollisionQuestions& questions, const Work& work,
                         const Columns& columns);

}  // namespace clearance::server
