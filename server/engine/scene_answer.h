// SPDX-License-Identifier: Apache-2.0
//
// Answers rows of a batch about a scene into columns, as answer.h does for pairs.

#ifndef CLEARANCE_SERVER_ENGINE_SCENE_ANSWER_H_
#define CLEARANCE_SERVER_ENGINE_SCENE_ANSWER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "server/engine/answer.h"
#include "server/engine/column_slice.h"
#include "server/engine/row_fault.h"
#include "server/engine/scene_batch.h"
#include "server/engine/shape_table.h"

namespace clearance::server {

// Configurations with more own bodies are asked one by one.
inline constexpr std::size_t kMostBodiesSideBySide = 64;

// The number of VERDICT_REFUSED of clearance.v1.
inline constexpr int kVerdictRefused = 4;

// Holds a pair of ids for each row; empty: not wanted.
struct IdPairColumns {
  absl::Span<std::uint32_t> bodies_a, bodies_b;
  absl::Span<bool> is_self;
};

// Holds the pairs of rows, one row after another: row i has the entries
// offsets[i] .. offsets[i + 1]. A column that is not wanted stays empty.
struct PairList {
  std::vector<std::uint32_t> offsets = {0};
  std::vector<std::uint32_t> bodies_a, bodies_b;
  std::vector<bool> is_self;
  std::vector<int> states;  // numbers of Verdict, State or MotionState
  // A kind fills those of the following that it has and that are wanted.
  std::vector<double> distances, lower_bounds, upper_bounds, t_free, t_hit, t_leave;
  std::vector<double> points_a, points_b, normals;

  // Removes the pairs that were listed since the last row ended.
  void DropUnfinishedRow();
};

// Holds the list that takes the pairs of rows, and which of its columns are wanted.
struct PairListColumns {
  PairList* list = nullptr;         // null: not wanted
  absl::Span<bool> truncated = {};  // 1 a row, of kinds that may leave pairs out
  bool has_bounds = false;
  bool has_distances = false;
  bool has_points = false;
  bool has_normals = false;
  bool has_times = false;
  bool has_t_leave = false;
};

struct CheckColumns {
  absl::Span<int> states;  // verdicts; always wanted
  IdPairColumns pairs;
  absl::Span<double> lower_bounds, upper_bounds, free_radii;
  PairListColumns listed = {};
};

struct ClearanceColumns {
  absl::Span<int> states;
  IdPairColumns pairs;
  absl::Span<double> distances, lower_bounds, upper_bounds, points_a, points_b, normals, free_radii;
};

struct NearestColumns {
  absl::Span<int> states;
  PairListColumns listed;  // always wanted
};

struct OverlapColumns {
  absl::Span<int> states;  // verdicts
  PairListColumns listed = {};
};

struct SweepColumns {
  absl::Span<int> states;
  IdPairColumns pairs;
  absl::Span<double> t_free, t_hit, t_leave, distances, points_a, points_b, normals;
  PairListColumns listed = {};
};

inline bool HasLists(const CheckColumns& columns) { return columns.listed.list != nullptr; }
inline bool HasLists(const ClearanceColumns& /*columns*/) { return false; }
inline bool HasLists(const NearestColumns& /*columns*/) { return true; }
inline bool HasLists(const OverlapColumns& columns) { return columns.listed.list != nullptr; }
inline bool HasLists(const SweepColumns& columns) { return columns.listed.list != nullptr; }

CheckColumns Slice(const CheckColumns& columns, const RowRange& rows);
ClearanceColumns Slice(const ClearanceColumns& columns, const RowRange& rows);
NearestColumns Slice(const NearestColumns& columns, const RowRange& rows);
OverlapColumns Slice(const OverlapColumns& columns, const RowRange& rows);
SweepColumns Slice(const SweepColumns& columns, const RowRange& rows);

// Returns the faults, as for pairs. Only overlaps look at the table: the other questions contain
// all that they ask about.
std::vector<RowFault> FindFaults(const CheckQuestions& questions, const ShapeTable& table);
std::vector<RowFault> FindFaults(const ClearanceQuestions& questions, const ShapeTable& table);
std::vector<RowFault> FindFaults(const NearestQuestions& questions, const ShapeTable& table);
std::vector<RowFault> FindFaults(const OverlapQuestions& questions, const ShapeTable& table);
std::vector<RowFault> FindFaults(const MotionQuestions& questions, const ShapeTable& table);
std::vector<RowFault> FindFaults(const RayQuestions& questions, const ShapeTable& table);

// Answers rows and returns how many are done, as those of answer.h do. Requires: work.faults are
// those of FindFaults. The clock is looked at after as much work as some dozens of cheap rows of
// pairs take, in a row between two pairs. Rows that are not done by then come back undecided, with
// reason kBudget.
std::uint32_t AnswerRows(const CheckQuestions& questions, const Work& work,
                         const CheckColumns& columns);
std::uint32_t AnswerRows(const ClearanceQuestions& questions, const Work& work,
                         const ClearanceColumns& columns);
std::uint32_t AnswerRows(const NearestQuestions& questions, const Work& work,
                         const NearestColumns& columns);
std::uint32_t AnswerRows(const OverlapQuestions& questions, const Work& work,
                         const OverlapColumns& columns);
std::uint32_t AnswerRows(const MotionQuestions& questions, const Work& work,
                         const SweepColumns& columns);
std::uint32_t AnswerRows(const RayQuestions& questions, const Work& work,
                         const SweepColumns& columns);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_ENGINE_SCENE_ANSWER_H_
