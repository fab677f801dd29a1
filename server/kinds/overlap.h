// SPDX-License-Identifier: Apache-2.0
//
// The bodies of a scene that shapes overlap: one shape in each row.

#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "clearance/v1/scene_query.pb.h"
#include "server/engine/answer.h"
#include "server/kinds/configurations.h"
#include "server/kinds/reply_columns.h"

namespace clearance::server {

struct OverlapQuestions {
  std::uint32_t count = 0;
  AskedScene asked;  // its scene alone
  Rows<std::uint32_t> slots;
  Rows<double> poses, margins;
  Rows<std::uint32_t> groups, masks;
  std::uint32_t max_pairs = 0;
};

struct OverlapKind {
  using Batch = v1::OverlapBatch;
  using Result = v1::OverlapBatchResult;
  using Questions = OverlapQuestions;
  using List = v1::VerdictPairColumns;

  static constexpr auto kListed =
      std::tuple(Listed{&PairList::lower_bounds, &List::mutable_lower_bounds, &Batch::bounds},
                 Listed{&PairList::upper_bounds, &List::mutable_upper_bounds, &Batch::bounds});
  static constexpr auto kColumns =
      std::tuple(Numbers{&Columns::states, &Result::mutable_verdicts, kAlways},
                 Pairs{&Result::mutable_pairs, &List::mutable_verdicts, kListed, kMaxPairs});

  static const Batch& DetailOf(const Batch& batch) { return batch; }
  static std::uint64_t UnitsASearch(const Batch& batch) { return batch.max_pairs() > 0 ? 4 : 1; }
};

void ReadQuestions(const v1::OverlapBatch& batch, ColumnReader* reader,
                   OverlapQuestions* questions);
std::vector<RowFault> FindFaults(const OverlapQuestions& questions, const ShapeTable& table);
std::uint32_t AnswerRows(const OverlapQuestions& questions, const Work& work,
                         const Columns& columns);

}  // namespace clearance::server
