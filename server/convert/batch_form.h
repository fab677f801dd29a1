// SPDX-License-Identifier: Apache-2.0
//
// The common parts of every batch: options, and rows in columns that fit its count.

#pragma once

#include <google/protobuf/repeated_field.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "clearance/v1/query.pb.h"
#include "server/config/limits.h"
#include "server/engine/rows.h"
#include "server/guard/refusal.h"

namespace clearance::server {

// Defaults of columns that are absent.
inline constexpr std::array<double, kPoseNumbers> kAtOrigin = {0, 0, 0, 0, 0, 0, 1};
inline constexpr std::uint32_t kFirstSlot = 0;
inline constexpr std::uint32_t kDefaultGroups = 1;
inline constexpr std::uint32_t kAllGroups = std::numeric_limits<std::uint32_t>::max();
inline constexpr double kNoMargin = 0;
inline constexpr double kAnyDistance = std::numeric_limits<double>::infinity();
inline constexpr std::array<double, kVectorNumbers> kNowhere = {0, 0, 0};

// Holds the name of a column of a message, and its numbers of each row.
struct ColumnForm {
  const char* name;
  std::size_t width;

  // Returns the column with these numbers for each of so many bodies.
  constexpr ColumnForm OfBodies(std::size_t count) const { return {name, width * count}; }
};

namespace question {
#define QUESTION(name, width, each) inline constexpr ColumnForm name = {#name, width};
#include "proto/columns.def"
}  // namespace question

// Resolves columns against one count and keeps the first failure. Thread-compatible.
class ColumnReader {
 public:
  explicit ColumnReader(std::uint32_t count) : count_(count) {}

  // Returns the column's rows, or `fallback` in all rows if it is absent. `group` is the message of
  // which it is a field, with a dot.
  template <class T>
  Rows<T> Read(const google::protobuf::RepeatedField<T>& column, const ColumnForm& form,
               const T* fallback, const char* group = "") {
    const auto size = static_cast<std::uint64_t>(column.size());
    if (size == 0) return {fallback, 0, form.name};
    if (size == form.width) return {column.data(), 0, form.name};
    if (size == form.width * count_) return {column.data(), form.width, form.name};
    Fail(std::string(group) + form.name, size,
         "0, " + FormatNumber(std::uint64_t{form.width}) + " (one row for all) or " +
             FormatNumber(form.width * count_) + " numbers (count rows)");
    return {fallback, 0, form.name};
  }

  // Reads a column that has one row for each, and no default.
  template <class T>
  Rows<T> Need(const google::protobuf::RepeatedField<T>& column, const char* name,
               std::size_t width = 1) {
    const auto size = static_cast<std::uint64_t>(column.size());
    if (size != width * count_) Fail(name, size, FormatNumber(width * count_) + " numbers");
    return {column.data(), width, name};
  }

  void Fail(const absl::Status& status) { status_.Update(status); }
  const absl::Status& status() const { return status_; }

 private:
  void Fail(const std::string& name, std::uint64_t size, const std::string& limit) {
    Fail(RefuseArgument({.reason = Reason::kColumnLength,
                         .field = name,
                         .value = FormatNumber(size) + " numbers",
                         .limit = limit,
                         .message = "The column does not fit `count`; `limit` says what does."}));
  }

  const std::uint64_t count_;
  absl::Status status_;
};

// Returns INVALID_ARGUMENT for zero rows, RESOURCE_EXHAUSTED for more than max_batch_rows.
absl::Status CheckCount(const char* field, std::uint64_t count, const Limits& limits);
absl::Status CheckOptions(const v1::BatchOptions& options);
// Returns INVALID_ARGUMENT for a number that is not finite or negative.
absl::Status CheckNotNegative(const char* field, double number);
// Returns RESOURCE_EXHAUSTED for more than max_row_pairs.
absl::Status CheckMaxPairs(std::uint64_t max_pairs, const Limits& limits);

// Returns the time budget, infinite if the message sets none. Requires: CheckOptions accepted the
// options.
absl::Duration TimeBudgetOf(const v1::BatchOptions& options);

// Returns the largest reply that client and server both accept, in bytes.
std::uint64_t MaxReplyBytesOf(const v1::BatchOptions& options, const Limits& limits);

}  // namespace clearance::server
