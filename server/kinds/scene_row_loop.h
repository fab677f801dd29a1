// SPDX-License-Identifier: Apache-2.0
//
// The loop of all kinds of questions about scenes, and the lists of pairs that its rows name.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "server/engine/row_loop.h"
#include "server/kinds/reply_columns.h"
#include "server/kinds/scene_kinds.h"

namespace clearance::server {

struct RowSummary {
  int state = 0;
  UndecidedReason reason = UndecidedReason::kNone;
  SceneCounters counters;
};

RowSummary PutSweep(const Columns& columns, std::uint32_t i, const SweepAnswer& answer);

void List(const PairVerdict& found, const PairList& list);
void List(const PairDistance& found, const PairList& list);
void List(const PairSweep& found, const PairList& list);

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

// Holds the memory that a thread's questions work in. It stays as large as the most bodies that the
// thread was ever asked about need it: a message of one row would otherwise spend more on memory
// than on the row.
struct ThreadRoom {
  SceneScratch scratch;
  std::vector<Pose> poses;
  std::vector<Pose> poses_ahead;  // of several rows
  std::vector<CheckAnswer> checks_ahead;
  std::vector<WorkBudget> budgets_ahead;
  std::vector<Motion> motions;
  std::vector<PairDistance> nearest;
  OwnPairs own_pairs;
};
inline ThreadRoom& RoomOfThread() {
  thread_local ThreadRoom room;
  return room;
}

// The fewest rows for which it is worthwhile to look at all own pairs once.
inline constexpr std::uint32_t kRowsForOwnPairs = 4;

struct RowTools {
  Pacer* pacer;
  WorkBudget* budget;  // of the row
  ThreadRoom& room = RoomOfThread();
  const OwnPairs* own_pairs = nullptr;

  // Finds once for all rows, if these are enough, which query bodies are asked against each other.
  void FindOwnPairs(const ConfigurationRows& rows, std::uint32_t count) {
    if (count < kRowsForOwnPairs || rows.asked.bodies.size() > kMostBodiesSideBySide) return;
    room.own_pairs.Find(QueryAnywhere(rows.asked));
    own_pairs = &room.own_pairs;
  }

  // Returns a query whose bodies stand where they were attached.
  SceneQuery QueryAnywhere(const AskedScene& asked) const {
    return {.scene = *asked.scene,
            .bodies = asked.bodies,
            .poses = {},
            .rules = asked.rules,
            .pair_scope = asked.pair_scope,
            .budget = budget,
            .own_pairs = own_pairs};
  }

  SceneQuery QueryOf(const ConfigurationRows& rows, std::uint32_t row) const {
    const AskedScene& asked = rows.asked;
    SceneQuery query = QueryAnywhere(asked);
    if (rows.poses.data == nullptr) return query;
    room.poses.resize(asked.bodies.size());
    CopyPoses(rows, row, room.poses.data());
    query.poses = room.poses;
    return query;
  }
};

// The base of a kind's rows.
template <class Questions>
struct SceneRows {
  const Questions& questions;
  const Columns& columns;
  const RowTools& tools;

  SceneQuery QueryOf(std::uint32_t row) const {
    return tools.QueryOf(questions.configurations, row);
  }
};

// Answers a row that is not refused and whose time is not over. Returns false if this row and those
// after it are left. Kind is derived from SceneRows and has:
//     Ask(row, i) -> answer   keeps to the budget and lists the row's pairs in passing
//     Put(answer, i) -> RowSummary
//     Find(row, answer, turn) -> SceneFinding, only if its answers are checked by sample: its look,
//         question and bodies
template <class Kind>
bool AnswerSceneRow(const Work& work, const RowTools& tools, const Kind& kind, std::uint32_t i) {
  const std::uint32_t row = work.first + i;
  const PairList& listed = kind.columns.listed;
  *tools.budget = WorkBudget(tools.pacer, work.most_steps);
  const auto answer = kind.Ask(row, i);
  if (work.MustLeaveRows()) {
    if (listed.is_wanted()) listed.DropRow(i);
    return false;
  }
  const auto [state, reason, counters] = kind.Put(answer, i);
  if (listed.is_wanted()) listed.EndRow();
  kind.columns.states[i] = state;
  work.tally.AddSceneRow(static_cast<std::uint8_t>(state), reason,
                         {counters.nodes, counters.candidates, counters.exact});
  if (reason != UndecidedReason::kNone) work.undecided.push_back({row, reason});
  if constexpr (requires { kind.Find(row, answer, PairTurn()); }) {
    if (tools.pacer->has_stopped() || work.checks == nullptr || !work.checks->Wants()) return true;
    work.checks->CheckScene([&, why = reason](PairTurn turn) {
      SceneFinding finding = kind.Find(row, answer, turn);
      const AskedScene& asked = RowsOf(kind.questions).asked;
      finding.kind = work.tally.kind();
      finding.reason = why;
      finding.scene = asked.name;
      finding.revision = asked.revision;
      finding.row = row;
      return finding;
    });
    tools.pacer->LookNow();
  }
  return true;
}

// Answers, refuses or gives up each row, and returns how many are done.
template <class Kind>
std::uint32_t ForEachSceneRow(const Work& work, const RowTools& tools, const Kind& kind) {
  const auto put_unasked = [&](std::uint32_t i, int state) {
    kind.columns.states[i] = state;
    const PairList& listed = kind.columns.listed;
    if (!listed.is_wanted()) return;
    PutNumber(listed.truncated, i, true);  // an empty list must not pass for a whole one
    listed.EndRow();
  };
  std::size_t next_fault = 0;
  for (std::uint32_t i = 0; i < work.count; ++i) {
    const std::uint32_t row = work.first + i;
    if (next_fault < work.faults.size() && work.faults[next_fault].index == row) {
      ++next_fault;
      put_unasked(i, work.tally.refused_state());
      work.tally.AddRefused();
      continue;
    }
    const bool is_reached = tools.pacer->Spend(kVerticesARow);
    if (work.MustLeaveRows()) return i;
    if (!is_reached) {
      put_unasked(i, work.tally.undecided_state());
      work.tally.AddNotReached();
      work.undecided.push_back({row, UndecidedReason::kBudget});
    } else if (!AnswerSceneRow(work, tools, kind, i)) {
      return i;
    }
  }
  return work.count;
}

// Lists what touches, or may.
inline void ListVerdicts(const SceneQuery& query, const RowTools& tools, const ListOfRow& list,
                         CheckAnswer* answer) {
  const auto check_all = [&](const auto& sink) {
    return CheckAll(query, sink, &tools.room.scratch).counters;
  };
  ListAll<PairVerdict>(check_all, list, *tools.budget, answer);
}

template <class Kind, class Questions, class... More>
std::uint32_t AnswerSceneRows(const Questions& questions, const Work& work, const Columns& columns,
                              const More&... more) {
  Pacer pacer(work.should_stop);
  WorkBudget budget(&pacer, work.most_steps);
  RowTools tools{.pacer = &pacer, .budget = &budget};
  if constexpr (requires { questions.configurations; }) {
    tools.FindOwnPairs(questions.configurations, work.count);
  }
  return ForEachSceneRow(work, tools, Kind{{questions, columns, tools}, more...});
}

}  // namespace clearance::server
