// SPDX-License-Identifier: Apache-2.0
//
// Prints answers for people (tables) and for programs (JSON: one object a row, numbers with all
// their digits; a value without a JSON number is a string: "Infinity"). Values without a meaning in
// the state of a row are left out.

#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "clearance/query.h"
#include "clearance/server_info.h"
#include "clearance/shape.h"
#include "client/cli/command.h"

namespace clearance::client {

using Json = nlohmann::ordered_json;

// The content of a shape in the JSON form of clearance.v1.Shape, as files and arguments give it.
Json ToJson(const Shape& shape);
Json ToJson(const ShapeInfo& info);
Json ToJson(const ServerInfo& info);
Json ToJson(const DistanceResult& result);
Json ToJson(const IntersectionResult& result);
Json ToJson(const TimeOfCollisionResult& result);

// Returns JSON text, on one line or with that indent. Bytes that are not UTF-8, such as those of a
// Latin-1 file, are replaced.
inline std::string JsonText(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}
void PrintJson(const Json& json);

// Returns a value as people read it: a refusal as a sentence.
std::string CellText(const Json& cell);

// A table that grows. Columns are as wide as their widest cell so far; a row with a new member
// begins with another header. If lines would have more than 100 columns, each row is a record: a
// line for each member, an empty line between two; longer values go on below. A wide table has
// lines of any length instead. Thread-compatible.
class TableWriter {
 public:
  explicit TableWriter(bool is_wide) : is_wide_(is_wide) {}

  // Each row is an object. Writes nothing if there are no rows.
  void Write(const Json& rows);

 private:
  void WriteLine(const Json& row);
  void WriteRecord(const Json& row);

  const bool is_wide_;
  bool has_written_ = false;
  std::vector<std::string> names_;  // every column that some row had, in the order of the first
  std::vector<std::size_t> widths_;
};

void PrintTable(const GlobalOptions& options, const Json& rows);

constexpr std::size_t kMostColumns = 100;  // of a line

// Returns the lines of a text, of at most `width` bytes each.
std::vector<std::string> Wrapped(absl::string_view text, std::size_t width);

// Returns the beginning of a digest, for tables.
std::string ShortDigest(const std::string& digest);

// The exit code for the rows of a result.
int ExitCodeOf(const DistanceResult& result);
int ExitCodeOf(const IntersectionResult& result);
int ExitCodeOf(const TimeOfCollisionResult& result);

}  // namespace clearance::client
