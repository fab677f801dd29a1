// SPDX-License-Identifier: Apache-2.0
//
// Describes the columns of a reply. A kind lists them once, in kColumns: the bytes of a row, the
// columns in the message and their slices follow from that list.

#pragma once

#include <google/protobuf/repeated_field.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <tuple>
#include <type_traits>

#include "absl/types/span.h"

namespace clearance::server {

// Bytes of one number on the wire, at most. Packed doubles and fixed32 have a fixed length. A row
// that is undecided is listed with a tag of 2 bytes, a length, its index and its reason.
inline constexpr std::uint64_t kStateBytes = 1;
inline constexpr std::uint64_t kNumberBytes = 8;
inline constexpr std::uint64_t kIndexBytes = 4;
inline constexpr std::uint64_t kVarintBytes = 5;
inline constexpr std::uint64_t kUndecidedRowBytes = 12;

// No reply has more bytes than this beside its rows and errors.
inline constexpr std::uint64_t kMaxReplyOverhead = 512;

// Selects the rows first .. first + count of a part.
struct RowRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

// Tells which columns a batch wants.
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

// A column with as many numbers in each row: `span` is where the engine fills it, `field` where it
// is in the message. An empty span costs nothing: the column is not wanted.
template <class Columns, class T, class Field, class Wanted>
struct FixedColumn {
  absl::Span<T> Columns::*span;
  Field field;
  Wanted wanted;
  std::size_t width = 1;
  std::uint64_t bytes = std::is_same_v<T, int> ? kStateBytes : sizeof(T);  // of a number
  T unknown = T{0};  // in rows of which the number is not known

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
  bool IsList(const Columns& /*columns*/) const { return false; }
};

template <class Columns, class T, class Field, class Wanted>
constexpr FixedColumn<Columns, T, Field, Wanted> Numbers(absl::Span<T> Columns::*span, Field field,
                                                         Wanted wanted) {
  return {span, field, wanted};
}
// No row must look like a distance of 0 that was never found.
inline constexpr double kNoDistance = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kNoBound = std::numeric_limits<double>::infinity();

template <class Columns, class Field, class Wanted>
constexpr FixedColumn<Columns, double, Field, Wanted> NumbersOr(double unknown,
                                                                absl::Span<double> Columns::*span,
                                                                Field field, Wanted wanted) {
  return {span, field, wanted, 1, kNumberBytes, unknown};
}
template <class Columns, class Field, class Wanted>
constexpr FixedColumn<Columns, double, Field, Wanted> Vectors(absl::Span<double> Columns::*span,
                                                              Field field, Wanted wanted) {
  return {span, field, wanted, 3};
}
template <class Columns, class Field, class Wanted>
constexpr FixedColumn<Columns, std::uint32_t, Field, Wanted> Varints(
    absl::Span<std::uint32_t> Columns::*span, Field field, Wanted wanted,
    std::uint64_t bytes = kVarintBytes) {
  return {span, field, wanted, 1, bytes};
}

// A column with any number of entries in each row, appended to a separate message. `offsets` of
// that message tell where rows begin. Null: the column is not wanted.
template <class Columns, class List, class Field, class Wanted, class Bytes>
struct ListColumn {
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
  bool IsList(const Columns& columns) const { return columns.*list != nullptr; }
};

template <class Columns, class List, class Field, class Wanted, class Bytes>
constexpr ListColumn<Columns, List, Field, Wanted, Bytes> Entries(List* Columns::*list, Field field,
                                                                  Wanted wanted, Bytes bytes) {
  return {list, field, wanted, bytes};
}

// Ends a row whose list has so many entries now, in all rows together.
template <class List>
void EndRowOf(int entries, List* list) {
  list->add_offsets(static_cast<std::uint32_t>(entries));
}

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
typename Kind::Columns MakeColumns(const typename Kind::Batch& batch, std::uint32_t rows,
                                   typename Kind::Result* result) {
  const auto& detail = Kind::DetailOf(batch);
  const Wishes wishes{detail, batch};
  typename Kind::Columns columns;
  const auto make = [&](const auto&... column) {
    (column.Make(wishes, rows, result, &columns), ...);
  };
  std::apply(make, Kind::kColumns);
  return columns;
}

// Returns the same columns for these rows only. Requires: no lists, or all rows in their order.
template <class Kind>
typename Kind::Columns Slice(typename Kind::Columns columns, const RowRange& rows) {
  std::apply([&](const auto&... column) { (column.Cut(rows, &columns), ...); }, Kind::kColumns);
  return columns;
}

// Returns true if a wanted column can only be written one row after another.
template <class Kind>
bool HasLists(const typename Kind::Columns& columns) {
  return std::apply([&](const auto&... column) { return (column.IsList(columns) || ...); },
                    Kind::kColumns);
}

}  // namespace clearance::server
