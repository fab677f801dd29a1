// SPDX-License-Identifier: Apache-2.0
//
// The common parts of every batch: options, and rows in columns that fit its count.

#ifndef CLEARANCE_SERVER_CONVERT_BATCH_FORM_H_
#define CLEARANCE_SERVER_CONVERT_BATCH_FORM_H_

#include <google/protobuf/repeated_field.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "clearance/v1/query.pb.h"
#include "server/config/limits.h"
#include "server/engine/batch.h"
#include "server/guard/refusal.h"

namespace clearance::server {

// Holds the name of a column, the numbers of each row, and the fallback for an absent column.
template <class T>
struct ColumnForm {
  const char* name;
  std::size_t width;
  const T* fallback;
};

// Resolves columns against one count and keeps the first failure. Thread-compatible.
class ColumnReader {
 public:
  explicit ColumnReader(std::uint32_t count) : count_(count) {}

  template <class T>
  Rows<T> Read(const google::protobuf::RepeatedField<T>& column, const ColumnForm<T>& form) {
    const auto size = static_cast<std::uint64_t>(column.size());
    if (size == 0) return {form.fallback, 0};
    if (size == form.width) return {column.data(), 0};
    if (size == form.width * count_) return {column.data(), form.width};
    Fail(form.name, size, form.width);
    return {form.fallback, 0};
  }

  void Fail(const absl::Status& status) { status_.Update(status); }
  const absl::Status& status() const { return status_; }

 private:
  void Fail(const char* name, std::uint64_t size, std::uint64_t width) {
    const std::string one = FormatNumber(width);
    const std::string all = FormatNumber(width * count_);
    Fail(RefuseArgument(
        {.field = name,
         .value = FormatNumber(size) + " numbers",
         .limit = "0, " + one + " (one row for all) or " + all + " numbers (count rows)",
         .message = "The column does not fit `count`; send no, one or count rows."}));
  }

  const std::uint64_t count_;
  absl::Status status_;
};

// Returns INVALID_ARGUMENT for zero rows, RESOURCE_EXHAUSTED for more than max_batch_rows.
absl::Status CheckCount(const char* field, std::uint64_t count, const Limits& limits);
absl::Status CheckOptions(const v1::BatchOptions& options);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_CONVERT_BATCH_FORM_H_
