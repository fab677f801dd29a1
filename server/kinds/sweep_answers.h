// SPDX-License-Identifier: Apache-2.0
//
// The answers that sweeps of bodies and rays have in common.

#pragma once

#include <tuple>

#include "clearance/v1/scene_query.pb.h"
#include "server/kinds/reply_columns.h"

namespace clearance::server {

// The part of a kind that describes its answers.
struct SweepAnswers {
  using Result = v1::SweepBatchResult;
  using Detail = v1::SweepDetail;
  using List = v1::SweepPairColumns;

  static constexpr auto kLeaves = [](const Detail& detail, const auto& batch) {
    if constexpr (requires { batch.ignore_initial_contact(); }) {
      return detail.times() && batch.ignore_initial_contact();
    } else {
      return false;
    }
  };
  static constexpr auto kListed =
      std::tuple(Listed{&PairList::t_free, &List::mutable_t_free, &Detail::times},
                 Listed{&PairList::t_hit, &List::mutable_t_hit, &Detail::times},
                 Listed{&PairList::t_leave, &List::mutable_t_leave, kLeaves},
                 Listed{&PairList::distances, &List::mutable_distances, &Detail::distances},
                 Listed{&PairList::points_a, &List::mutable_points_a, &Detail::points, kVector},
                 Listed{&PairList::points_b, &List::mutable_points_b, &Detail::points, kVector},
                 Listed{&PairList::normals, &List::mutable_normals, &Detail::normals, kVector});
  static constexpr auto kColumns = std::tuple(
      Numbers{&Columns::states, &Result::mutable_states, kAlways},
      Numbers{&Columns::bodies_a, &Result::mutable_bodies_a, &Detail::pairs},
      Numbers{&Columns::bodies_b, &Result::mutable_bodies_b, &Detail::pairs},
      Numbers{&Columns::is_self, &Result::mutable_is_self, &Detail::pairs},
      Numbers{&Columns::t_free, &Result::mutable_t_free, &Detail::times},
      Numbers{&Columns::t_hit, &Result::mutable_t_hit, &Detail::times},
      Numbers{&Columns::t_leave, &Result::mutable_t_leave, kLeaves},
      Numbers{&Columns::distances, &Result::mutable_distances, &Detail::distances}.Or(kNoDistance),
      Numbers{&Columns::points_a, &Result::mutable_points_a, &Detail::points, kVector},
      Numbers{&Columns::points_b, &Result::mutable_points_b, &Detail::points, kVector},
      Numbers{&Columns::normals, &Result::mutable_normals, &Detail::normals, kVector},
      Pairs{&Result::mutable_pairs, &List::mutable_states, kListed, kMaxPairs});

  template <class Batch>
  static Detail DetailOf(const Batch& batch) {
    return DetailOr(batch, &Detail::set_times);
  }
};

}  // namespace clearance::server
