// SPDX-License-Identifier: Apache-2.0
//
// Writes rows of answers as they come: a table that grows, CSV, or a JSON object a line.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "clearance/query.h"
#include "client/cli/output.h"

namespace clearance::client {

enum class RowFormat { kTable, kCsv, kJsonLines };

// Writes to stdout. Thread-compatible.
class RowWriter {
 public:
  // The columns apply to CSV: names of a row's members, "normal.x" for vectors.
  RowWriter(RowFormat format, bool is_wide, std::vector<std::string> columns)
      : format_(format), columns_(std::move(columns)), table_(is_wide) {}

  void Write(const Json& rows);

 private:
  void WriteCsv(const Json& rows);

  const RowFormat format_;
  const std::vector<std::string> columns_;
  bool has_header_ = false;
  TableWriter table_;
};

// Returns the members of a row that the columns name, as a line of CSV without its line end.
std::string CsvLine(const Json& row, const std::vector<std::string>& columns);

// Returns the columns that rows of the answers to such a batch may have.
std::vector<std::string> ColumnsOf(const DistanceBatch& batch);
std::vector<std::string> ColumnsOf(const IntersectionBatch& batch);
std::vector<std::string> ColumnsOf(const TimeOfCollisionBatch& batch);

}  // namespace clearance::client
