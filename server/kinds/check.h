// SPDX-License-Identifier: Apache-2.0
//
// Checks of configurations in a scene.

#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "clearance/v1/scene_query.pb.h"
#include "server/engine/answer.h"
#include "server/kinds/configurations.h"
#include "server/kinds/reply_columns.h"

namespace clearance::server {

struct CheckQuestions {
  ConfigurationRows configurations;
  bool wants_free_radii = false;
  std::uint32_t max_pairs = 0;  // that a row lists; 0: it lists none
};

struct CheckKind {
  using Batch = v1::CheckBatch;
  using Result = v1::CheckBatchResult;
  using Questions = CheckQuestions;
  using Detail = v1::CheckDetail;
  using List = v1::VerdictPairColumns;

  static constexpr auto kListed =
      std::tuple(Listed{&PairList::lower_bounds, &List::mutable_lower_bounds, &Detail::bounds},
                 Listed{&PairList::upper_bounds, &List::mutable_upper_bounds, &Detail::bounds});
  static constexpr auto kColumns = std::tuple(
      Numbers{&Columns::states, &Result::mutable_verdicts, kAlways},
      Numbers{&Columns::bodies_a, &Result::mutable_bodies_a, &Detail::pairs},
      Numbers{&Columns::bodies_b, &Result::mutable_bodies_b, &Detail::pairs},
      Numbers{&Columns::is_self, &Result::mutable_is_self, &Detail::pairs},
      Numbers{&Columns::lower_bounds, &Result::mutable_lower_bounds, &Detail::bounds}.Or(-kNoBound),
      Numbers{&Columns::upper_bounds, &Result::mutable_upper_bounds, &Detail::bounds}.Or(kNoBound),
      Numbers{&Columns::free_radii, &Result::mutable_free_radii, &Detail::free_radii},
      Pairs{&Result::mutable_pairs, &List::mutable_verdicts, kListed, kMaxPairs});

  static const Detail& DetailOf(const Batch& batch) { return batch.detail(); }
  static std::uint64_t UnitsASearch(const Batch& batch) {
    return (batch.detail().free_radii() ? 4 : 1) + (batch.max_pairs() > 0 ? 4 : 0);
  }
};

void ReadQuestions(const v1::CheckBatch& batch, ColumnReader* reader, CheckQuestions* questions);
std::vector<RowFault> FindFaults(const CheckQuestions& questions, const ShapeTable& table);
std::uint32_t AnswerRows(const CheckQuestions& questions, const Work& work, const Columns& columns);

}  // namespace clearance::server
