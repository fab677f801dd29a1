// SPDX-License-Identifier: Apache-2.0
//
// The columns into which rows' answers are put, of all kinds, as proto/columns.def describes them.
// The bytes of a row, the columns in the message and their slices follow from it.

#pragma once

#include <google/protobuf/repeated_field.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include "absl/types/span.h"
#include "clearance/v1/query.pb.h"
#include "clearance/v1/scene_query.pb.h"
#include "core/math/vec3.h"
#include "core/query/contact_manifold.h"
#include "core/scene/scene_query.h"

namespace clearance::server {

// No row must look like a distance of 0 that was never found.
inline constexpr double kNoDistance = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kNoBound = std::numeric_limits<double>::infinity();

// The numbers of a column, and the bytes of one on the wire, at most. Packed doubles and fixed32
// have a fixed length.
namespace column {
using Real = double;
using Index = std::uint32_t;
using Count = std::uint32_t;
using Bits = std::uint32_t;
using Flag = bool;
}  // namespace column
inline constexpr std::uint64_t kRealBytes = 8;
inline constexpr std::uint64_t kIndexBytes = 4;
inline constexpr std::uint64_t kCountBytes = 5;
inline constexpr std::uint64_t kBitsBytes = 1;
inline constexpr std::uint64_t kFlagBytes = 1;
inline constexpr std::uint64_t kStateBytes = 1;
// A row that is undecided is listed with a tag of 2 bytes, a length, its index and its reason.
inline constexpr std::uint64_t kUndecidedRowBytes = 12;

// Holds the fields of the message that lists the pairs of rows, one row after another: row i has
// the entries offsets[i] .. offsets[i + 1]. Null: not wanted, or not of this kind.
struct PairList {
  template <class T>
  using Field = google::protobuf::RepeatedField<T>*;

  Field<std::uint32_t> offsets = nullptr;  // null: nothing is listed
  Field<std::uint32_t> bodies_a = nullptr, bodies_b = nullptr;
  Field<bool> is_self = nullptr;
  Field<int> states = nullptr;  // numbers of Verdict, State or MotionState
#define LISTED(name, type, width, wish, unknown, found) Field<column::type> name = nullptr;
#include "proto/columns.def"
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
#define ANSWER(name, type, width, wish, unknown, found) absl::Span<column::type> name = {};
#include "proto/columns.def"
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

// No reply has more bytes than this beside its rows and errors.
inline constexpr std::uint64_t kMaxReplyOverhead = 512;

struct RowRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

// Returns the message that says which columns a batch wants. Without a detail these are times, or
// distances and bounds if the kind has no times.
template <class Batch>
const auto& DetailOf(const Batch& batch) {
  if constexpr (requires { batch.detail(); }) {
    static const auto kNotGiven = [](auto detail) {
      if constexpr (requires { detail.set_times(true); }) {
        detail.set_times(true);
      } else if constexpr (requires { detail.set_distances(true); }) {
        detail.set_distances(true);
        detail.set_bounds(true);
      }
      return detail;
    }(batch.detail().default_instance());
    return batch.has_detail() ? batch.detail() : kNotGiven;
  } else {
    return batch;
  }
}

// Returns whether bodies may leave an initial contact.
template <class Batch>
bool MayLeave(const Batch& batch) {
  return batch.ignore_initial_contact();
}
inline bool MayLeave(const v1::RayBatch& /*batch*/) { return false; }

// Returns how many pairs a row lists at most; 0: there is no list.
template <class Batch>
std::uint32_t MostPairs(const Batch& batch) {
  return batch.max_pairs();
}
inline std::uint32_t MostPairs(const v1::NearestBatch& batch) {
  return std::max(1U, batch.max_pairs());
}

// A column with as many numbers in each row: `span` is where the engine fills it, `field` where it
// is in the message. An empty span costs nothing: the column is not wanted.
template <class T, class Field, class Bytes>
struct Numbers {
  absl::Span<T> Columns::*span;
  Field field;
  Bytes bytes;  // of a row, at most; 0: not wanted
  std::size_t width;
  T unknown = T{0};  // in rows of which the number is not known
  google::protobuf::RepeatedField<T>* PairList::*listed = nullptr;  // null: lists have no such one

  void Make(std::uint32_t rows, google::protobuf::RepeatedField<T>* numbers,
            Columns* columns) const {
    numbers->Resize(static_cast<int>(width * rows), unknown);
    columns->*span = absl::MakeSpan(numbers->mutable_data(), width * rows);
  }
  void Cut(const RowRange& rows, Columns* columns) const {
    absl::Span<T>& column = columns->*span;
    if (!column.empty()) column = column.subspan(width * rows.first, width * rows.count);
  }
};
template <class T, class Field, class Bytes, class... More>
Numbers(absl::Span<T> Columns::*, Field, Bytes, More...) -> Numbers<T, Field, Bytes>;

// A column with any number of entries in each row, appended to a separate message. `offsets` of
// that message tell where rows begin. Null: the column is not wanted.
template <class List, class Field, class Bytes>
struct Entries {
  List* Columns::*list;
  Field field;
  Bytes bytes;  // the same

  void Make(std::uint32_t rows, List* message, Columns* columns) const {
    columns->*list = message;
    message->mutable_offsets()->Reserve(static_cast<int>(rows) + 1);
    message->add_offsets(0);
    if constexpr (requires { message->add_facet_offsets(0); }) message->add_facet_offsets(0);
  }
  // Rows are listed one after another, whichever slice they are of.
  void Cut(const RowRange& /*rows*/, Columns* /*columns*/) const {}
};
template <class List, class Field, class Bytes>
Entries(List* Columns::*, Field, Bytes) -> Entries<List, Field, Bytes>;

// Returns a field of a message, and cannot be called with a message that has no such field.
#define FIELD(name) [](auto* of) -> decltype(of->mutable_##name()) { return of->mutable_##name(); }
// Returns a number of bytes by a batch and by its detail.
#define BYTES(number)                                                           \
  []([[maybe_unused]] const auto& detail, [[maybe_unused]] const auto& batch) { \
    return static_cast<std::uint64_t>(number);                                  \
  }
#define NUMBERS(name, type, width, wish) \
  &Columns::name, FIELD(name), BYTES((wish) ? (width)*k##type##Bytes : 0), width
#define ENTRIES(name, field, bytes) \
  Entries { &Columns::name, FIELD(field), BYTES(detail.field() ? kIndexBytes + (bytes) : 0) }
#define TRUNCATED(name, field)                                                                   \
  Numbers {                                                                                      \
    &Columns::name, FIELD(field()->mutable_truncated), BYTES(detail.field() ? kFlagBytes : 0), 1 \
  }

// The columns of all kinds: a kind has those whose fields its reply has. A list of pairs has those
// of kListed whose fields its message has.
inline constexpr auto kListed = std::tuple{
    Numbers{&Columns::states, FIELD(states), BYTES(kStateBytes), 1, 0, &PairList::states},
    Numbers{&Columns::states, FIELD(verdicts), BYTES(kStateBytes), 1, 0, &PairList::states},
#define LISTED(name, type, width, wish, unknown, found) \
  Numbers{NUMBERS(name, type, width, wish), unknown, &PairList::name},
#include "proto/columns.def"
};
inline constexpr auto kUnlisted = std::tuple{
#define LISTED(name, type, width, wish, unknown, found)
#define ANSWER(name, type, width, wish, unknown, found) \
  Numbers{NUMBERS(name, type, width, wish), unknown},
#include "proto/columns.def"
    ENTRIES(witnesses, witnesses, (2 * kIndexBytes + kRealBytes) * Witness::kCapacity),
    ENTRIES(contacts, contacts, (7 * kRealBytes + 4 * kIndexBytes) * ContactManifold::kCapacity),
    TRUNCATED(contacts_truncated, contacts),
    ENTRIES(depth_proofs, depth_proofs,  // with an offset of the facets
            (1 + 2 * DepthProof::kVertexCapacity + 3 * DepthProof::kFacetCapacity) * kIndexBytes),
    TRUNCATED(proofs_truncated, depth_proofs),
    ENTRIES(motion_proofs, proofs,
            (5 * kRealBytes + (detail.pieces() ? 2 * kIndexBytes : 0)) * MotionProof::kCapacity),
    TRUNCATED(proofs_truncated, proofs),
};
inline constexpr auto kColumns = std::tuple_cat(kListed, kUnlisted);

#undef FIELD
#undef BYTES
#undef NUMBERS
#undef ENTRIES
#undef TRUNCATED

// Calls visit(column) for those of these columns that a message has.
template <class Message, class Described, class Visit>
void ForEachColumn(const Described& described, const Visit& visit) {
  const auto look = [&](const auto& column) {
    if constexpr (std::is_invocable_v<decltype(column.field), Message*>) visit(column);
  };
  std::apply([&](const auto&... column) { (look(column), ...); }, described);
}

// Returns the most bytes that a row of these columns of a message takes.
template <class Message, class Described, class Batch>
std::uint64_t BytesOf(const Described& described, const Batch& batch) {
  const auto& detail = DetailOf(batch);
  std::uint64_t bytes = 0;
  ForEachColumn<Message>(described,
                         [&](const auto& column) { bytes += column.bytes(detail, batch); });
  return bytes;
}

// No row takes more bytes of a reply than this, its Error apart.
template <class Kind>
std::uint64_t MaxRowBytes(const typename Kind::Batch& batch) {
  using Result = typename Kind::Result;
  std::uint64_t bytes = kUndecidedRowBytes + BytesOf<Result>(kColumns, batch);
  if constexpr (requires(const Result& result) { result.pairs(); }) {
    using List = std::decay_t<decltype(std::declval<const Result&>().pairs())>;
    constexpr std::uint64_t kIdPairBytes = 2 * kIndexBytes + kFlagBytes;
    const std::uint64_t pairs = MostPairs(batch);
    if (pairs > 0)
      bytes += kIndexBytes + kFlagBytes + pairs * (kIdPairBytes + BytesOf<List>(kListed, batch));
  }
  return bytes;
}

// Returns the columns of a list of pairs, which the batch wants, in its message.
template <class Batch, class List>
PairList MakeList(const Batch& batch, std::uint32_t rows, List* message) {
  PairList list = {.offsets = message->mutable_offsets(),
                   .bodies_a = message->mutable_bodies_a(),
                   .bodies_b = message->mutable_bodies_b(),
                   .is_self = message->mutable_is_self()};
  list.offsets->Reserve(static_cast<int>(rows) + 1);
  list.offsets->Add(0);
  const auto& detail = DetailOf(batch);
  ForEachColumn<List>(kListed, [&](const auto& column) {
    if (column.bytes(detail, batch) > 0) list.*column.listed = column.field(message);
  });
  if constexpr (requires { message->mutable_truncated(); }) {
    message->mutable_truncated()->Resize(static_cast<int>(rows), false);
    list.truncated = absl::MakeSpan(message->mutable_truncated()->mutable_data(), rows);
  }
  return list;
}

// Returns the columns of `rows` rows that the batch wants, all unknown, in the message itself.
template <class Kind>
Columns MakeColumns(const typename Kind::Batch& batch, std::uint32_t rows,
                    typename Kind::Result* result) {
  const auto& detail = DetailOf(batch);
  Columns columns;
  ForEachColumn<typename Kind::Result>(kColumns, [&](const auto& column) {
    if (column.bytes(detail, batch) > 0) column.Make(rows, column.field(result), &columns);
  });
  if constexpr (requires { result->mutable_pairs(); }) {
    if (MostPairs(batch) > 0) columns.listed = MakeList(batch, rows, result->mutable_pairs());
  }
  return columns;
}

// Returns the same columns for these rows only. Requires: no lists, or all rows in their order.
template <class Kind>
Columns Slice(Columns columns, const RowRange& rows) {
  ForEachColumn<typename Kind::Result>(kColumns,
                                       [&](const auto& column) { column.Cut(rows, &columns); });
  absl::Span<bool>& truncated = columns.listed.truncated;
  if (!truncated.empty()) truncated = truncated.subspan(rows.first, rows.count);
  return columns;
}

}  // namespace clearance::server
