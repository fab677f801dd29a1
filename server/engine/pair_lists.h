// SPDX-License-Identifier: Apache-2.0
//
// Puts pairs that rows name into their lists, as far as these are wanted.

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

// What a row lists, and where.
struct ListOfRow {
  const PairListColumns& columns;
  std::uint32_t row;
  std::uint32_t most;
};
template <class Columns, class Questions>
ListOfRow PairListOf(const Columns& columns, const Questions& questions, std::uint32_t row) {
  return {columns.listed, row, questions.max_pairs};
}

// Lists what it is shown of a row, up to so many.
class PairLister {
 public:
  explicit PairLister(const ListOfRow& list)
      : columns_(list.columns), row_(list.row), most_(list.most) {}

  // False where there is no room.
  bool Add(const PairVerdict& found) { return List(found, ListVerdict); }
  bool Add(const PairSweep& found) { return List(found, ListSweep); }
  // There may be more that nobody looked at.
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

// Lists what a row has found, where that is asked for. ask_all(sink) shows the sink all of it, each
// a Found, and tells what work that was; the answer counts it too.
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
