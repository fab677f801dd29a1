// SPDX-License-Identifier: Apache-2.0
//
// Answers rows of a batch into columns. A column that is not wanted is an empty span and costs
// nothing; where a row's state gives a column no meaning, the row is left as it was given (+0.0).

#ifndef CLEARANCE_SERVER_ENGINE_ANSWER_H_
#define CLEARANCE_SERVER_ENGINE_ANSWER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "core/query/distance.h"
#include "core/query/time_of_collision.h"
#include "core/query/work_budget.h"
#include "server/engine/answer_check.h"
#include "server/engine/batch.h"
#include "server/engine/row_fault.h"
#include "server/engine/shape_table.h"
#include "server/engine/warm_rows.h"
#include "server/observe/batch_tally.h"

namespace clearance::server {

// The numbers of STATE_REFUSED and MOTION_STATE_REFUSED of clearance.v1.
inline constexpr int kStateRefused = 6;
inline constexpr int kMotionStateRefused = 5;

struct UndecidedRow {
  std::uint32_t index = 0;  // the row of the batch
  UndecidedReason reason = UndecidedReason::kNone;
};

// Which rows to answer, and what goes with them.
struct Work {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  absl::Span<const RowFault> faults;  // those of the rows first .. first + count, in order
  const ShapeTable& table;
  // Asked at the start and then at least every 64 cheap rows, more often where rows are dear. Once
  // it says true the rows that are left come back undecided, with reason kBudget, or, if it has set
  // *is_interrupted, are left as they are, for another call.
  absl::FunctionRef<bool()> should_stop;
  BatchTally& tally;
  std::vector<UndecidedRow>& undecided;
  PartChecks* checks = nullptr;   // null: none
  WarmRows* warm_rows = nullptr;  // null: every row begins cold
  // The most work of one row, in vertices as WorkBudget counts them. A row that takes more comes
  // back undecided, with reason kWork.
  std::uint64_t most_steps = WorkBudget::kUnlimited;
  const bool* is_interrupted = nullptr;  // null: it never is

  bool MustLeaveRows() const { return is_interrupted != nullptr && *is_interrupted; }
};

// The caller's own vertex indices and weights, rows one after another; see
// clearance.v1.WitnessColumns.
struct WitnessColumns {
  std::vector<std::uint32_t> offsets = {0};
  std::vector<std::uint32_t> vertices_a, vertices_b;
  std::vector<double> weights;
};

// Why rows are free before t_free, rows one after another; see clearance.v1.MotionProofColumns.
struct MotionProofColumns {
  std::vector<std::uint32_t> offsets = {0};
  std::vector<double> t_begin, t_end, normals;
  std::vector<std::uint32_t> pieces_a, pieces_b;  // if the rows' own are wanted
  MotionProof of_row;                             // of the row that is being answered
};

// Contacts of rows, one after another; see clearance.v1.ContactColumns.
struct ContactColumns {
  std::vector<std::uint32_t> offsets = {0};
  std::vector<double> points_a, points_b, distances;
  std::vector<std::uint32_t> features_a, features_b;
};

// Proofs of depth, one after another; see clearance.v1.DepthProofColumns.
struct DepthProofColumns {
  std::vector<std::uint32_t> offsets = {0};
  std::vector<std::uint32_t> vertices_a, vertices_b;
  std::vector<std::uint32_t> facet_offsets = {0};
  std::vector<std::uint32_t> facets;
  DepthProof of_row;  // of the row that is being answered
};

// The columns whose length is known only afterwards, for those that are wanted.
struct DistanceLists {
  WitnessColumns witnesses;
  ContactColumns contacts;
  std::unique_ptr<DepthProofColumns> depth_proofs;  // null: not wanted
};
struct IntersectionLists {};
struct TimeOfCollisionLists {
  std::unique_ptr<MotionProofColumns> proofs;  // null: not wanted
};

// Spans of `count` rows each, 3 numbers a row for points and normals; empty: not wanted.
struct DistanceColumns {
  absl::Span<int> states;  // always wanted
  absl::Span<double> distances, lower_bounds, upper_bounds;
  absl::Span<double> points_a, points_b, normals, relative_points_a, relative_points_b;
  absl::Span<double> tolerances;
  absl::Span<std::uint32_t> iterations, flags, pieces_a, pieces_b;
  absl::Span<bool> contacts_truncated, depth_proofs_truncated;
  WitnessColumns* witnesses = nullptr;        // null: not wanted
  ContactColumns* contacts = nullptr;         // null: not wanted
  DepthProofColumns* depth_proofs = nullptr;  // null: not wanted
};

struct IntersectionColumns {
  absl::Span<int> states;
  absl::Span<double> lower_bounds, upper_bounds;
  absl::Span<std::uint32_t> iterations;
};

struct TimeOfCollisionColumns {
  absl::Span<int> states;
  absl::Span<double> t_free, t_hit, t_leave, distances, points_a, points_b, normals;
  absl::Span<std::uint32_t> iterations, pieces_a, pieces_b;
  absl::Span<bool> truncated;            // of proofs
  MotionProofColumns* proofs = nullptr;  // null: not wanted
};

// Returns how many rows are done: all, unless it was interrupted. Requires: work.faults are those
// of FindFaults with the same table.
std::uint32_t AnswerRows(const DistanceQuestions& questions, const Work& work,
                         const DistanceColumns& columns);
std::uint32_t AnswerRows(const IntersectionQuestions& questions, const Work& work,
                         const IntersectionColumns& columns);
std::uint32_t AnswerRows(const TimeOfCollisionQuestions& questions, const Work& work,
                         const TimeOfCollisionColumns& columns);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_ENGINE_ANSWER_H_
