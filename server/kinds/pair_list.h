// SPDX-License-Identifier: Apache-2.0
//
// The pairs that rows about a scene name: one in columns, or several in lists.

#pragma once

#include <google/protobuf/repeated_field.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>

#include "absl/types/span.h"
#include "core/query/work_budget.h"
#include "core/scene/scene_query.h"
#include "server/engine/row_loop.h"
#include "server/kinds/columns.h"

namespace clearance::server {

// Holds the fields of the message that lists the pairs of rows, one row after another: row i has
// the entries offsets[i] .. offsets[i + 1]. Null: not wanted, or not of this kind.
struct PairList {
  template <class T>
  using Field = google::protobuf::RepeatedField<T>*;

  Field<std::uint32_t> offsets = nullptr;  // null: nothing is listed
  Field<std::uint32_t> bodies_a = nullptr, bodies_b = nullptr;
  Field<bool> is_self = nullptr;
  Field<int> states = nullptr;  // numbers of Verdict, State or MotionState
  Field<double> distances = nullptr, lower_bounds = nullptr, upper_bounds = nullptr;
  Field<double> t_free = nullptr, t_hit = nullptr, t_leave = nullptr;
  Field<double> points_a = nullptr, points_b = nullptr, normals = nullptr;
  absl::Span<bool> truncated = {};  // 1 a row, of kinds that may leave pairs out

  bool is_wanted() const { return offsets != nullptr; }
  void EndRow() const { offsets->Add(static_cast<std::uint32_t>(states->size())); }
  // Removes the pairs that were listed since the last row ended.
  void DropUnfinishedRow() const;
};

// One column of a list's message.
template <class T, class Field, class Wanted>
struct ListedColumn {
  PairList::Field<T> PairList::*member;
  Field field;
  Wanted wanted;
  std::size_t width = 1;

  template <class Wish>
  std::uint64_t PairBytes(const Wish& wish) const {
    return wish.Of(wanted) ? width * sizeof(T) : 0;
  }
  template <class Wish, class List>
  void Make(const Wish& wish, List* message, PairList* list) const {
    if (wish.Of(wanted)) list->*member = std::invoke(field, message);
  }
};
template <class T, class Field, class Wanted>
constexpr ListedColumn<T, Field, Wanted> Numbers(
    google::protobuf::RepeatedField<T>* PairList::*member, Field field, Wanted wanted) {
  return {member, field, wanted};
}
template <class Field, class Wanted>
constexpr ListedColumn<double, Field, Wanted> Vectors(
    google::protobuf::RepeatedField<double>* PairList::*member, Field field, Wanted wanted) {
  return {member, field, wanted, 3};
}

inline constexpr auto kMaxPairs = [](const auto& /*detail*/, const auto& batch) {
  return batch.max_pairs();
};

// The column of a kind's lists. `most(detail, batch)` is how many pairs a row lists; 0: no list.
template <class Columns, class Field, class States, class Listed, class Most>
struct PairListColumn {
  PairList Columns::*list;
  Field field;
  States states;  // the field of the pairs' states in the list's message
  Listed listed;  // its ListedColumns
  Most most;

  template <class Wish>
  std::uint64_t RowBytes(const Wish& wish) const {
    constexpr std::uint64_t kPairBytes = 2 * kIndexBytes + 1 + kStateBytes;
    const std::uint64_t pairs = wish.Of(most);
    const auto add = [&](const auto&... column) { return (column.PairBytes(wish) + ...); };
    return pairs == 0 ? 0 : kIndexBytes + 1 + pairs * (kPairBytes + std::apply(add, listed));
  }
  template <class Wish, class Result>
  void Make(const Wish& wish, std::uint32_t rows, Result* result, Columns* columns) const {
    if (wish.Of(most) == 0) return;
    auto* const message = std::invoke(field, result);
    PairList& to = columns->*list;
    to.offsets = message->mutable_offsets();
    to.offsets->Reserve(static_cast<int>(rows) + 1);
    to.offsets->Add(0);
    to.bodies_a = message->mutable_bodies_a();
    to.bodies_b = message->mutable_bodies_b();
    to.is_self = message->mutable_is_self();
    to.states = std::invoke(states, message);
    std::apply([&](const auto&... column) { (column.Make(wish, message, &to), ...); }, listed);
    if constexpr (requires { message->mutable_truncated(); }) {
      message->mutable_truncated()->Resize(static_cast<int>(rows), false);
      to.truncated = absl::MakeSpan(message->mutable_truncated()->mutable_data(), rows);
    }
  }
  // Rows are listed one after another, whichever slice they are of.
  void Cut(const RowRange& rows, Columns* columns) const {
    absl::Span<bool>& truncated = (columns->*list).truncated;
    if (!truncated.empty()) truncated = truncated.subspan(rows.first, rows.count);
  }
  bool IsList(const Columns& columns) const { return (columns.*list).is_wanted(); }
};
template <class Columns, class Field, class States, class Listed, class Most>
// NOLINTNEXTLINE(readability-function-size): one parameter for each part of the description
constexpr PairListColumn<Columns, Field, States, Listed, Most> Pairs(PairList Columns::*list,
                                                                     Field field, States states,
                                                                     Listed listed, Most most) {
  return {list, field, states, listed, most};
}

// Puts the pair that a row names into its columns.
template <class Columns>
void PutPair(const Columns& columns, std::uint32_t i, const IdPair& pair) {
  PutNumber(columns.bodies_a, i, pair.a);
  PutNumber(columns.bodies_b, i, pair.b);
  PutNumber(columns.is_self, i, pair.is_self);
}

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
