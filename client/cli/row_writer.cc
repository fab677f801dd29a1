// SPDX-License-Identifier: Apache-2.0
#include "client/cli/row_writer.h"

#include <cstdio>
#include <initializer_list>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace clearance::client {
namespace {

std::string Quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

// Returns the part of a member that a column names; null if the row has none.
Json PartOf(const Json& row, const std::string& column) {
  const std::size_t dot = column.rfind('.');
  const auto found = row.find(column.substr(0, dot));
  if (found == row.end()) return nullptr;
  if (dot == std::string::npos) return *found;
  const auto component = static_cast<std::size_t>(column[dot + 1] - 'x');
  return found->is_array() && component < found->size() ? (*found)[component] : Json();
}

std::string CsvCell(const Json& row, const std::string& column) {
  const Json part = PartOf(row, column);
  if (part.is_null()) return "";
  if (part.is_string()) return Quoted(part.get<std::string>());
  if (part.is_object() && part.contains("limit")) return Quoted(CellText(part));
  return Quoted(JsonText(part));
}

// Adds the columns if they are wanted; those of points and normals as three.
void AddColumns(bool is_wanted, std::initializer_list<const char*> names,
                std::vector<std::string>* columns) {
  if (is_wanted) columns->insert(columns->end(), names.begin(), names.end());
}

void AddVectors(bool is_wanted, std::initializer_list<const char*> names,
                std::vector<std::string>* columns) {
  if (!is_wanted) return;
  for (const char* const name : names) {
    for (const char* const part : {".x", ".y", ".z"}) columns->push_back(absl::StrCat(name, part));
  }
}

}  // namespace

void RowWriter::Write(const Json& rows) {
  switch (format_) {
    case RowFormat::kTable:
      table_.Write(rows);
      break;
    case RowFormat::kCsv:
      WriteCsv(rows);
      break;
    default:
      for (const Json& row : rows) absl::PrintF("%s\n", JsonText(row));
  }
  // A reader of a pipe must see rows as they come.
  std::fflush(stdout);
}

void RowWriter::WriteCsv(const Json& rows) {
  if (!has_header_) absl::PrintF("%s\n", absl::StrJoin(columns_, ","));
  has_header_ = true;
  for (const Json& row : rows) absl::PrintF("%s\n", CsvLine(row, columns_));
}

std::string CsvLine(const Json& row, const std::vector<std::string>& columns) {
  return absl::StrJoin(columns, ",", [&](std::string* line, const std::string& column) {
    line->append(CsvCell(row, column));
  });
}

std::vector<std::string> ColumnsOf(const DistanceBatch& batch) {
  const DistanceDetail& detail = batch.detail;
  std::vector<std::string> columns = {"row", "id", "state"};
  AddColumns(detail.distances, {"distance"}, &columns);
  AddColumns(detail.bounds, {"lower_bound", "upper_bound"}, &columns);
  AddColumns(detail.pieces, {"piece_a", "piece_b"}, &columns);
  AddVectors(detail.points, {"point_a", "point_b"}, &columns);
  AddVectors(detail.normals, {"normal"}, &columns);
  AddColumns(true, {"flags"}, &columns);
  AddColumns(detail.witnesses, {"witnesses"}, &columns);
  AddColumns(detail.contacts, {"contacts", "contacts_truncated"}, &columns);
  AddColumns(detail.depth_proofs, {"depth_proof", "depth_proof_truncated"}, &columns);
  AddColumns(detail.iterations, {"iterations"}, &columns);
  AddColumns(detail.tolerances, {"tolerance"}, &columns);
  AddColumns(true, {"reason", "error"}, &columns);
  return columns;
}

std::vector<std::string> ColumnsOf(const IntersectionBatch& batch) {
  std::vector<std::string> columns = {"row", "id", "state"};
  AddColumns(batch.detail.bounds, {"lower_bound", "upper_bound"}, &columns);
  AddColumns(batch.detail.iterations, {"iterations"}, &columns);
  AddColumns(true, {"reason", "error"}, &columns);
  return columns;
}

std::vector<std::string> ColumnsOf(const TimeOfCollisionBatch& batch) {
  const TimeOfCollisionDetail& detail = batch.detail;
  std::vector<std::string> columns = {"row", "id", "state"};
  AddColumns(detail.times, {"t_free", "t_hit"}, &columns);
  AddColumns(detail.distances, {"distance"}, &columns);
  AddVectors(detail.points, {"point_a", "point_b"}, &columns);
  AddVectors(detail.normals, {"normal"}, &columns);
  AddColumns(detail.pieces, {"piece_a", "piece_b"}, &columns);
  AddColumns(detail.times && batch.ignore_initial_contact, {"t_leave"}, &columns);
  AddColumns(detail.proofs, {"proof", "proof_truncated"}, &columns);
  AddColumns(detail.iterations, {"iterations"}, &columns);
  AddColumns(true, {"reason", "error"}, &columns);
  return columns;
}

}  // namespace clearance::client
