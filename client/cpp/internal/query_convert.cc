// SPDX-License-Identifier: Apache-2.0
#include "internal/query_convert.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

#include "internal/blank_rows.h"
#include "internal/columns.h"
#include "internal/status_convert.h"

namespace clearance::client {
namespace {

// For requirements: an expression of things that a message and its plain struct both have.
template <class... Things>
void Exist(const Things&...);

// --- Batches -------------------------------------------------------------------------------------

void SetDuration(absl::Duration duration, google::protobuf::Duration* proto) {
  constexpr std::int64_t kMaxSeconds = 315'576'000'000;  // the limit of google.protobuf.Duration
  duration = std::clamp(duration, -absl::Seconds(kMaxSeconds), absl::Seconds(kMaxSeconds));
  proto->set_seconds(absl::IDivDuration(duration, absl::Seconds(1), &duration));
  proto->set_nanos(static_cast<std::int32_t>(absl::ToInt64Nanoseconds(duration)));
}

void FillOptions(const BatchOptions& options, v1::BatchOptions* proto) {
  proto->Clear();
  proto->set_max_reply_bytes(options.max_reply_bytes);
  if (options.time_budget != absl::InfiniteDuration())
    SetDuration(options.time_budget, proto->mutable_time_budget());
}

// Copies the rows of one batch's columns.
struct ColumnSlicer {
  std::uint64_t count;  // of the whole batch
  RowRange rows;

  template <class T>
  void operator()(const std::vector<T>& column, std::uint64_t width,
                  google::protobuf::RepeatedField<T>* field) const {
    const bool has_row_each = column.size() == width * count;
    if (!has_row_each) return Assign(column, field);
    Assign(column.data() + width * rows.first, width * rows.count, field);
  }
};

// Calls set(value) unless the value is an optional without one.
template <class Value, class Set>
void SetKnown(const Value& value, const Set& set) {
  set(value);
}
template <class Value, class Set>
void SetKnown(const std::optional<Value>& value, const Set& set) {
  if (value) set(*value);
}

// Fills the count, columns and settings of a batch, or of the part of it that has them.
template <class Part, class Proto>
// NOLINTNEXTLINE(readability-function-size): a branch for each name of columns.def
void FillPart(const Part& part, const ColumnSlicer& slice, [[maybe_unused]] std::uint64_t body,
              Proto* proto) {
  [[maybe_unused]] const std::uint64_t row = 1;
  if constexpr (requires { part.count; }) proto->set_count(slice.rows.count);
#define QUESTION(name, width, each)                                      \
  if constexpr (requires { Exist(part.name, proto->mutable_##name()); }) \
    slice(part.name, (width) * (each), proto->mutable_##name());
#define SETTING(name)                                                               \
  if constexpr (requires { Exist(part.name, proto->name()); }) {                    \
    proto->clear_##name();                                                          \
    SetKnown(part.name, [&](auto value) {                                           \
      proto->set_##name(static_cast<std::decay_t<decltype(proto->name())>>(value)); \
    });                                                                             \
  }
#include "proto/columns.def"
}

template <class Detail, class Proto>
void FillDetail(const Detail& detail, Proto* proto) {
#define DETAIL(name) \
  if constexpr (requires { Exist(detail.name, proto->name()); }) proto->set_##name(detail.name);
#include "proto/columns.def"
}

// --- Results -------------------------------------------------------------------------------------

// Converts a number. One that this build does not know becomes kUnspecified, for which nothing is
// ever proved.
template <class Enum>
Enum KnownEnum(int number, Enum last) {
  if (number < 0 || number > static_cast<int>(last)) return Enum::kUnspecified;
  return static_cast<Enum>(number);
}

template <class Enum>
void AppendStates(const google::protobuf::RepeatedField<int>& field, std::vector<Enum>* column) {
  column->reserve(column->size() + field.size());
  for (const int number : field) column->push_back(KnownEnum(number, Enum::kRefused));
}

// Appends the offsets of a part to those of the parts before it.
void AppendOffsets(const google::protobuf::RepeatedField<std::uint32_t>& part,
                   std::vector<std::uint32_t>* offsets) {
  // The part begins with a 0, which stands for the end of the rows before it.
  std::uint32_t base = 0;
  if (!offsets->empty()) {
    base = offsets->back();
    offsets->pop_back();
  }
  for (const std::uint32_t offset : part) offsets->push_back(base + offset);
}

// Appends one of the messages of a result that have any number of entries a row.
template <class Part, class List>
void AppendList(const Part& part, List* list) {
  AppendOffsets(part.offsets(), &list->offsets);
  if constexpr (requires { list->facet_offsets; })
    AppendOffsets(part.facet_offsets(), &list->facet_offsets);
  if constexpr (requires { list->truncated; }) Append(part.truncated(), &list->truncated);
#define ENTRY(name, width) \
  if constexpr (requires { Exist(part.name(), list->name); }) Append(part.name(), &list->name);
#include "proto/columns.def"
}

// Returns the ids of the pairs of rows, or of listed pairs; null if there are none.
template <class Columns>
auto IdsOf([[maybe_unused]] Columns* columns) {
  if constexpr (requires { columns->first_pairs; }) {
    return &columns->first_pairs;
  } else if constexpr (requires { columns->ids; }) {
    return &columns->ids;
  } else if constexpr (requires { columns->pairs.is_self; }) {
    return &columns->pairs;
  } else {
    return nullptr;
  }
}

enum When { kAlways, kIfFound };

// Replaces the numbers of rows `first` and later that mean nothing in the state of their row.
template <class Columns>
// NOLINTNEXTLINE(readability-function-size): a branch for each name of columns.def
void BlankUnknown(std::size_t first, Columns* columns) {
  for (std::size_t row = first; row < columns->states.size(); ++row) {
    if (HasNumbers(columns->states[row])) continue;
#define ANSWER(name, type, width, wish, unknown, found)             \
  if constexpr ((found) == kIfFound && requires { columns->name; }) \
    BlankRow(row, {&columns->name, width});
#include "proto/columns.def"
  }
}

// Appends the states and columns of rows, or of listed pairs.
template <class Part, class Columns>
// NOLINTNEXTLINE(readability-function-size): a branch for each name of columns.def
void AppendColumns(const Part& part, Columns* columns) {
  if constexpr (requires { part.verdicts(); }) AppendStates(part.verdicts(), &columns->verdicts);
  [[maybe_unused]] const auto ids = IdsOf(columns);
#define ANSWER(name, type, width, wish, unknown, found)          \
  if constexpr (requires { Exist(part.name(), columns->name); }) \
    Append(part.name(), &columns->name);                         \
  if constexpr (requires { Exist(part.name(), ids->name); }) Append(part.name(), &ids->name);
#include "proto/columns.def"
  if constexpr (requires { part.states(); }) {
    const std::size_t first = columns->states.size();
    AppendStates(part.states(), &columns->states);
    BlankUnknown(first, columns);
  }
}

// Appends the pairs that rows list.
template <class Part, class Pairs>
void AppendPairs(const Part& part, Pairs* pairs) {
  AppendOffsets(part.offsets(), &pairs->offsets);
  AppendColumns(part, pairs);
  if constexpr (requires { pairs->truncated; }) Append(part.truncated(), &pairs->truncated);
}

// Appends reports on single rows, which count from `offset` on.
template <class Part, class Result>
void AppendReports(const Part& part, std::uint32_t offset, Result* result) {
  for (const v1::Error& error : part.errors()) {
    result->errors.push_back(FromProto(error));
    result->errors.back().index += offset;
  }
  for (const v1::UndecidedRow& row : part.undecided()) {
    result->undecided.push_back(
        {row.index() + offset, KnownEnum(row.reason(), UndecidedReason::kWork)});
  }
}

}  // namespace

template <IsBatch Batch>
void ToProto(const Batch& batch, RowRange rows, typename ProtoOf<Batch>::Batch* proto) {
  const ColumnSlicer slice{RowCountOf(batch), rows};
  const std::uint64_t bodies = BodiesARow(batch);
  FillPart(batch, slice, bodies, proto);
  if constexpr (requires { batch.pairs.count; })
    FillPart(batch.pairs, slice, bodies, proto->mutable_pairs());
  if constexpr (requires { batch.configurations; })
    FillPart(batch.configurations, slice, bodies, proto->mutable_configurations());
  FillOptions(batch.options, proto->mutable_options());
  if constexpr (requires { batch.detail; }) FillDetail(batch.detail, proto->mutable_detail());
}

template <IsBatch Batch>
void AppendRows(const typename ProtoOf<Batch>::Result& part, std::uint32_t offset,
                typename Batch::Result* result) {
  result->count += part.count();
  AppendColumns(part, result);
#define LIST(name)                                  \
  if constexpr (requires { result->name.offsets; }) \
    if (part.has_##name()) AppendList(part.name(), &result->name);
#include "proto/columns.def"
  if constexpr (requires { result->hits; }) {
    if (part.has_pairs()) AppendPairs(part.pairs(), &result->hits);
  } else if constexpr (requires { result->pairs.offsets; }) {
    if (part.has_pairs()) AppendPairs(part.pairs(), &result->pairs);
  }
  AppendReports(part, offset, result);
  if constexpr (requires { result->scene_revision; })
    result->scene_revision = part.scene_revision();
}

#define QUERY(name, field, service, label, states)                                          \
  template void ToProto(const name##Batch&, RowRange, v1::name##Batch*);                    \
  template void AppendRows<name##Batch>(const ProtoOf<name##Batch>::Result&, std::uint32_t, \
                                        name##Batch::Result*);
#include "proto/methods.def"

PairDistance FromProto(const v1::PairDistanceResponse& proto) {
  const auto vector = [](bool has, const v1::Vector3& v) {
    return has ? std::optional<Vec3>({v.x(), v.y(), v.z()}) : std::nullopt;
  };
  PairDistance pair = {.state = static_cast<State>(proto.state()),
                       .intersects = proto.intersects(),
                       .distance = std::nullopt,
                       .lower_bound = proto.lower_bound(),
                       .upper_bound = proto.upper_bound(),
                       .point_a = vector(proto.has_point_a(), proto.point_a()),
                       .point_b = vector(proto.has_point_b(), proto.point_b()),
                       .normal = vector(proto.has_normal(), proto.normal()),
                       .undecided_reason = static_cast<UndecidedReason>(proto.undecided_reason()),
                       .revision = proto.revision()};
  if (proto.has_distance()) pair.distance = proto.distance();
  return pair;
}

}  // namespace clearance::client
