// SPDX-License-Identifier: Apache-2.0
//
// The columns into which rows' answers are put, of all kinds, and their description. A kind lists
// its columns once, in kColumns: the bytes of a row, the columns in the message and their slices
// follow from that list.

#pragma once

#include <google/protobuf/repeated_field.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <tuple>
#include <type_traits>

#include "absl/types/span.h"
#include "clearance/v1/query.pb.h"
#include "core/math/vec3.h"
#include "core/scene/scene_query.h"

namespace clearance::server {

// No row must look like a distance of 0 that was never found.
inline constexpr double kNoDistance = std::numeric_limits<double>::quiet_NaN();

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
  // Removes the pairs that were listed since the last row ended: those of this row.
  void DropRow(std::uint32_t row) const;
};

// Holds one number a row in each column, or a vector of three. Empty or null: not wanted, or not of
// this kind.
struct Columns {
  absl::Span<int> states = {};  // always wanted; numbers of State, MotionState or Verdict
  absl::Span<std::uint32_t> bodies_a = {}, bodies_b = {};
  absl::Span<bool> is_self = {};
  absl::Span<double> distances = {}, lower_bounds = {}, upper_bounds = {};
  absl::Span<double> t_free = {}, t_hit = {}, t_leave = {};
  absl::Span<double> points_a = {}, points_b = {}, normals = {};
  absl::Span<double> relative_points_a = {}, relative_points_b = {};
  absl::Span<double> tolerances = {}, free_radii = {};
  absl::Span<std::uint32_t> iterations = {}, flags = {}, pieces_a = {}, pieces_b = {};
  // Lists, with any number of entries a row, and whether those of a row were cut short.
  v1::WitnessColumns* witnesses = nullptr;
  v1::ContactColumns* contacts = nullptr;
  v1::DepthProofColumns* depth_proofs = nullptr;
  v1::MotionProofColumns* motion_proofs = nullptr;
  absl::Span<bool> contacts_truncated = {}, proofs_truncated = {};
  PairList listed = {};

  // Returns true if a wanted column can only be written one row after another.
  bool HasLists() const {
    return witnesses != nullptr || contacts != nullptr || depth_proofs != nullptr ||
           motion_proofs != nullptr || listed.is_wanted();
  }
};

template <class T>
void PutNumber(absl::Span<T> column, std::size_t i, T value) {
  if (!column.empty()) column[i] = value;
}

inline void PutVector(absl::Span<double> column, std::size_t i, const Vec3d& v) {
  if (column.empty()) return;
  column[3 * i] = v.x;
  column[3 * i + 1] = v.y;
  column[3 * i + 2] = v.z;
}

template <class Answer>
void PutContact(const Columns& columns, std::size_t i, const Answer& answer) {
  PutNumber(columns.distances, i, answer.distance);
  PutVector(columns.points_a, i, answer.p_WA);
  PutVector(columns.points_b, i, answer.p_WB);
  PutVector(columns.normals, i, answer.n_AB);
}

inline void PutPair(const Columns& columns, std::size_t i, const IdPair& pair) {
  PutNumber(columns.bodies_a, i, pair.a);
  PutNumber(columns.bodies_b, i, pair.b);
  PutNumber(columns.is_self, i, pair.is_self);
}

// Ends a row whose list has so many entries now, in all rows together.
template <class List>
void EndRowOf(int entries, List* list) {
  list->add_offsets(static_cast<std::uint32_t>(entries));
}

// Bytes of one number on the wire, at most. Packed doubles and fixed32 have a fixed length. A row
// that is undecided is listed with a tag of 2 bytes, a length, its index and its reason.
inline constexpr std::uint64_t kStateBytes = 1;
inline constexpr std::uint64_t kNumberBytes = 8;
inline constexpr std::uint64_t kIndexBytes = 4;
inline constexpr std::uint64_t kVarintBytes = 5;
inline constexpr std::size_t kVector = 3;  // numbers
inline constexpr std::uint64_t kUndecidedRowBytes = 12;

// No reply has more bytes than this beside its rows and errors.
inline constexpr std::uint64_t kMaxReplyOverhead = 512;

struct RowRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

template <class Detail, class Batch>
struct Wishes {
  const Detail& detail;
  const Batch& batch;

  // `wanted` is asked with the detail or, if it takes both, with the detail and the batch.
  template <class Wanted>
  auto Of(const Wanted& wanted) const {
    if constexpr (std::is_invocable_v<Wanted, const Detail&>) {
      return std::invoke(wanted, detail);
    } else {
      return wanted(detail, batch);
    }
  }
};
template <class Detail, class Batch>
Wishes(const Detail&, const Batch&) -> Wishes<Detail, Batch>;

inline constexpr auto kAlways = [](const auto& /*detail*/, const auto& /*batch*/) { return true; };

// Returns the detail of a batch or, if it has none, one with what `set` sets.
template <class Batch, class... Set>
auto DetailOr(const Batch& batch, Set... set) {
  auto detail = batch.detail();
  if (!batch.has_detail()) (std::invoke(set, detail, true), ...);
  return detail;
}

inline constexpr double kNoBound = std::numeric_limits<double>::infinity();

// A column with as many numbers in each row: `span` is where the engine fills it, `field` where it
// is in the message. An empty span costs nothing: the column is not wanted.
template <class T, class Field, class Wanted>
struct Numbers {
  absl::Span<T> Columns::*span;
  Field field;
  Wanted wanted;
  std::size_t width = 1;
  std::uint64_t bytes = std::is_same_v<T, int> ? kStateBytes : sizeof(T);  // of a number
  T unknown = T{0};  // in rows of which the number is not known

  constexpr Numbers Or(T number) const { return {span, field, wanted, width, bytes, number}; }

  template <class Wish>
  std::uint64_t RowBytes(const Wish& wish) const {
    return wish.Of(wanted) ? width * bytes : 0;
  }
  template <class Wish, class Result>
  void Make(const Wish& wish, std::uint32_t rows, Result* result, Columns* columns) const {
    if (!wish.Of(wanted)) return;
    google::protobuf::RepeatedField<T>* const numbers = std::invoke(field, result);
    numbers->Resize(static_cast<int>(width * rows), unknown);
    columns->*span = absl::MakeSpan(numbers->mutable_data(), width * rows);
  }
  void Cut(const RowRange& rows, Columns* columns) const {
    absl::Span<T>& column = columns->*span;
    if (!column.empty()) column = column.subspan(width * rows.first, width * rows.count);
  }
};
template <class T, class Field, class Wanted, class... More>
Numbers(absl::Span<T> Columns::*, Field, Wanted, More...) -> Numbers<T, Field, Wanted>;

// A column with any number of entries in each row, appended to a separate message. `offsets` of
// that message tell where rows begin. Null: the column is not wanted.
template <class List, class Field, class Wanted, class Bytes>
struct Entries {
  List* Columns::*list;
  Field field;
  Wanted wanted;
  Bytes bytes;  // of the entries of a row, at most

  template <class Wish>
  std::uint64_t RowBytes(const Wish& wish) const {
    return wish.Of(wanted) ? kIndexBytes + wish.Of(bytes) : 0;
  }
  template <class Wish, class Result>
  void Make(const Wish& wish, std::uint32_t rows, Result* result, Columns* columns) const {
    if (!wish.Of(wanted)) return;
    columns->*list = std::invoke(field, result);
    (columns->*list)->mutable_offsets()->Reserve(static_cast<int>(rows) + 1);
    (columns->*list)->add_offsets(0);
  }
  // Rows are listed one after another, whichever slice they are of.
  void Cut(const RowRange& /*rows*/, Columns* /*columns*/) const {}
};
template <class List, class Field, class Wanted, class Bytes>
Entries(List* Columns::*, Field, Wanted, Bytes) -> Entries<List, Field, Wanted, Bytes>;

// One column of a list's message.
template <class T, class Field, class Wanted>
struct Listed {
  google::protobuf::RepeatedField<T>* PairList::*member;
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
template <class T, class Field, class Wanted, class... More>
Listed(google::protobuf::RepeatedField<T>* PairList::*, Field, Wanted, More...)
    -> Listed<T, Field, Wanted>;

inline constexpr auto kMaxPairs = [](const auto& /*detail*/, const auto& batch) {
  return batch.max_pairs();
};

// The column of a kind's lists. `most(detail, batch)` is how many pairs a row lists; 0: no list.
template <class Field, class States, class List, class Most>
struct Pairs {
  Field field;
  States states;  // the field of the pairs' states in the list's message
  List listed;    // each one Listed
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
    PairList& to = columns->listed;
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
  void Cut(const RowRange& rows, Columns* columns) const {
    absl::Span<bool>& truncated = columns->listed.truncated;
    if (!truncated.empty()) truncated = truncated.subspan(rows.first, rows.count);
  }
};
template <class Field, class States, class List, class Most>
Pairs(Field, States, List, Most) -> Pairs<Field, States, List, Most>;

// Columns that several kinds have.
inline constexpr auto kLeaves = [](const auto& detail, const auto& batch) {
  if constexpr (requires { batch.ignore_initial_contact(); }) {
    return detail.times() && batch.ignore_initial_contact();
  } else {
    return false;
  }
};
template <class Result, class Detail>
inline constexpr auto kPairColumns =
    std::tuple(Numbers{&Columns::bodies_a, &Result::mutable_bodies_a, &Detail::pairs},
               Numbers{&Columns::bodies_b, &Result::mutable_bodies_b, &Detail::pairs},
               Numbers{&Columns::is_self, &Result::mutable_is_self, &Detail::pairs});
template <class Result, class Detail>
inline constexpr auto kBoundColumns = std::tuple(
    Numbers{&Columns::lower_bounds, &Result::mutable_lower_bounds, &Detail::bounds}.Or(-kNoBound),
    Numbers{&Columns::upper_bounds, &Result::mutable_upper_bounds, &Detail::bounds}.Or(kNoBound));
template <class Result, class Detail>
inline constexpr auto kContactColumns = std::tuple(
    Numbers{&Columns::distances, &Result::mutable_distances, &Detail::distances}.Or(kNoDistance),
    Numbers{&Columns::points_a, &Result::mutable_points_a, &Detail::points, kVector},
    Numbers{&Columns::points_b, &Result::mutable_points_b, &Detail::points, kVector},
    Numbers{&Columns::normals, &Result::mutable_normals, &Detail::normals, kVector});
template <class Result, class Detail>
inline constexpr auto kTimeColumns =
    std::tuple(Numbers{&Columns::t_free, &Result::mutable_t_free, &Detail::times},
               Numbers{&Columns::t_hit, &Result::mutable_t_hit, &Detail::times},
               Numbers{&Columns::t_leave, &Result::mutable_t_leave, kLeaves});
template <class List, class Detail>
inline constexpr auto kListedBounds =
    std::tuple(Listed{&PairList::lower_bounds, &List::mutable_lower_bounds, &Detail::bounds},
               Listed{&PairList::upper_bounds, &List::mutable_upper_bounds, &Detail::bounds});
template <class List, class Detail>
inline constexpr auto kListedContacts =
    std::tuple(Listed{&PairList::distances, &List::mutable_distances, &Detail::distances},
               Listed{&PairList::points_a, &List::mutable_points_a, &Detail::points, kVector},
               Listed{&PairList::points_b, &List::mutable_points_b, &Detail::points, kVector},
               Listed{&PairList::normals, &List::mutable_normals, &Detail::normals, kVector});

// No row takes more bytes of a reply than this, its Error apart.
template <class Kind>
std::uint64_t MaxRowBytes(const typename Kind::Batch& batch) {
  const auto& detail = Kind::DetailOf(batch);
  const Wishes wishes{detail, batch};
  const auto add = [&](const auto&... column) { return (column.RowBytes(wishes) + ...); };
  return kUndecidedRowBytes + std::apply(add, Kind::kColumns);
}

// Returns the columns of `rows` rows that the batch wants, all unknown, in the message itself.
template <class Kind>
Columns MakeColumns(const typename Kind::Batch& batch, std::uint32_t rows,
                    typename Kind::Result* result) {
  const auto& detail = Kind::DetailOf(batch);
  const Wishes wishes{detail, batch};
  Columns columns;
  const auto make = [&](const auto&... column) {
    (column.Make(wishes, rows, result, &columns), ...);
  };
  std::apply(make, Kind::kColumns);
  return columns;
}

// Returns the same columns for these rows only. Requires: no lists, or all rows in their order.
template <class Kind>
Columns Slice(Columns columns, const RowRange& rows) {
  std::apply([&](const auto&... column) { (column.Cut(rows, &columns), ...); }, Kind::kColumns);
  return columns;
}

}  // namespace clearance::server
