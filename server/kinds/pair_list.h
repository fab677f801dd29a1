// SPDX-License-Identifier: Apache-2.0
//
// Lists the pairs that rows about a scene name.

#pragma once

#include <cstdint>

#include "core/query/work_budget.h"
#include "core/scene/scene_query.h"
#include "server/kinds/columns.h"

namespace clearance::server {

void List(const PairVerdict& found, const PairList& list);
void List(const PairDistance& found, const PairList& list);
void List(const PairSweep& found, const PairList& list);

// Identifies the list of a row and limits its pairs.
struct ListOfRow {
  const PairList& list;
  std::uint32_t row;
  std::uint32_t most;
};

// Lists the findings of a row, if the list is wanted. ask_all(sink) shows the sink all of them,
// each a Found, and returns the work that this took; the answer counts it too. If there is no room
// for one, or not all pairs were looked at, the list is marked as truncated.
template <class Found, class Answer, class AskAll>
void ListAll(const AskAll& ask_all, const ListOfRow& to, const WorkBudget& budget, Answer* answer) {
  if (!to.list.is_wanted()) return;
  std::uint32_t listed = 0;
  const auto sink = [&](const Found& found) {
    const bool has_room = listed < to.most;
    if (has_room) {
      List(found, to.list);
      ++listed;
    } else {
      to.list.truncated[to.row] = true;
    }
    return has_room;
  };
  const SceneCounters counters = ask_all(sink);
  answer->counters.nodes += counters.nodes;
  answer->counters.candidates += counters.candidates;
  answer->counters.exact += counters.exact;
  if (budget.has_ended()) to.list.truncated[to.row] = true;
}

}  // namespace clearance::server
