// SPDX-License-Identifier: Apache-2.0
//
// Adds the pairs that rows name to their lists, as far as these are wanted.

#ifndef CLEARANCE_SERVER_ENGINE_PAIR_LISTS_H_
#define CLEARANCE_SERVER_ENGINE_PAIR_LISTS_H_

#include <cstdint>

#include "core/query/work_budget.h"
#include "core/scene/scene_query.h"
#include "server/engine/scene_answer.h"

namespace clearance::server {

void ListVerdict(const PairListColumns& columns, const PairVerdict& found);
void ListDistance(const PairListColumns& columns, const PairDistance& found);
void ListSweep(const PairListColumns& columns, const PairSweep& found);

// Identifies the list of a row and limits its pairs.
struct ListOfRow {
  const PairListColumns& columns;
  std::uint32_t row;
  std::uint32_t most;
};
template <class Columns, class Questions>
ListOfRow PairListOf(const Columns& columns, const Questions& questions, std::uint32_t row) {
  return {columns.listed, row, questions.max_pairs};
}

// Lists the findings of a row, up to `most` of them.
class PairLister {
 public:
  explicit PairLister(const ListOfRow& list)
      : columns_(list.columns), row_(list.row), most_(list.most) {}

  // Returns false if there is no room.
  bool Add(const PairVerdict& found) { return List(found, ListVerdict); }
  bool Add(const PairSweep& found) { return List(found, ListSweep); }
  // Marks the list as truncated: there may be pairs that were not looked at.
  void CutShort() { columns_.truncated[row_] = true; }

 private:
  template <class Found>
  bool List(const Found& found, void (*list)(const PairListColumns&, const Found&)) {
    const bool has_room = listed_ < most_;
    if (has_room) {
      list(columns_, found);
      ++listed_;
    } else {
      CutShort();
    }
    return has_room;
  }

  const PairListColumns& columns_;
  const std::uint32_t row_;
  const std::uint32_t most_;
  std::uint32_t listed_ = 0;
};

inline SceneCounters Sum(const SceneCounters& a, const SceneCounters& b) {
  return {a.nodes + b.nodes, a.candidates + b.candidates, a.exact + b.exact};
}

// Lists the findings of a row, if the list is wanted. ask_all(sink) shows the sink all of them,
// each a Found, and returns the work that this took; the answer counts it too.
template <class Found, class Answer, class AskAll>
void ListAll(const AskAll& ask_all, const ListOfRow& list, const WorkBudget& budget,
             Answer* answer) {
  if (list.columns.list == nullptr) return;
  PairLister lister(list);
  const auto sink = [&](const Found& found) { return lister.Add(found); };
  answer->counters = Sum(answer->counters, ask_all(sink));
  if (budget.has_ended()) lister.CutShort();
}

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_ENGINE_PAIR_LISTS_H_
