// SPDX-License-Identifier: Apache-2.0
//
// The common parts of all batches and results, between plain structs and generated messages.

#pragma once

#include <google/protobuf/repeated_field.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clearance/query.h"
#include "clearance/v1/query.pb.h"
#include "internal/columns.h"
#include "internal/split.h"
#include "internal/status_convert.h"

namespace clearance::client {

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

void ToProto(const BatchOptions& options, v1::BatchOptions* proto);

// Converts a number. One that this build does not know becomes kUnspecified, for which nothing is
// ever proved.
template <class Enum>
Enum KnownEnum(int number, Enum last) {
  if (number < 0 || number > static_cast<int>(last)) return Enum::kUnspecified;
  return static_cast<Enum>(number);
}

template <class Enum>
void AppendEnums(const google::protobuf::RepeatedField<int>& field, Enum last,
                 std::vector<Enum>* column) {
  column->reserve(column->size() + field.size());
  for (const int number : field) column->push_back(KnownEnum(number, last));
}

// Appends the rows of a part, which begins at `offset` of the caller's batch, and its reports on
// single rows.
template <class Part, class Result>
void AppendRows(const Part& part, std::uint32_t offset, Result* result) {
  result->count += part.count();
  for (const v1::Error& error : part.errors()) {
    result->errors.push_back(FromProto(error));
    result->errors.back().index += offset;
  }
  for (const v1::UndecidedRow& row : part.undecided()) {
    result->undecided.push_back(
        {row.index() + offset, KnownEnum(row.reason(), UndecidedReason::kWork)});
  }
}

// Appends the offsets of a part into lists that hold `base` entries already.
inline void AppendOffsets(const google::protobuf::RepeatedField<std::uint32_t>& part,
                          std::size_t base, std::vector<std::uint32_t>* offsets) {
  // The part begins with a 0, which stands for the end of the rows before it.
  if (!offsets->empty()) offsets->pop_back();
  for (const std::uint32_t offset : part)
    offsets->push_back(static_cast<std::uint32_t>(base) + offset);
}

}  // namespace clearance::client
