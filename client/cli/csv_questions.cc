// SPDX-License-Identifier: Apache-2.0
//
// CSV as in RFC 4180: cells in quotes may hold commas, line ends and doubled quotes. Lines may end
// either way, and blank ones are skipped.
#include <set>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/cli/question_file.h"
#include "client/cli/read_file.h"

namespace clearance::client {
namespace {

constexpr char kByteOrderMark[] = "\xEF\xBB\xBF";
// Longest part of an unclosed cell that a line of an error shows.
constexpr std::size_t kShownOfCell = 40;

// Reads one record after another.
class CsvText {
 public:
  explicit CsvText(std::istream* file) : file_(*file) {}

  // False at the end of the file.
  bool Next(std::vector<std::string>* cells);
  // The line on which the last record began.
  std::uint64_t line() const { return begin_; }
  // Skips the mark that spreadsheets put in front of the first cell.
  void SkipByteOrderMark();
  // Returns the same as EndOf(), after Next().
  absl::Status End() const { return EndOf(file_); }
  // Whether the file ended within the quotes of the last cell.
  bool is_unclosed() const { return is_unclosed_; }

 private:
  // Takes the rest of a cell after its first quote.
  void TakeQuoted(std::string* cell);

  std::istream& file_;
  std::uint64_t line_ = 1;
  std::uint64_t begin_ = 0;
  bool is_unclosed_ = false;
};

void CsvText::SkipByteOrderMark() {
  for (const char* c = kByteOrderMark; *c != 0 && file_.peek() == static_cast<unsigned char>(*c);
       ++c) {
    file_.get();
  }
}

void CsvText::TakeQuoted(std::string* cell) {
  for (char c = 0; file_.get(c);) {
    if (c == '\n') ++line_;
    if (c != '"') {
      cell->push_back(c);
    } else if (file_.peek() == '"') {
      cell->push_back(static_cast<char>(file_.get()));
    } else {
      return;
    }
  }
  is_unclosed_ = true;
}

bool CsvText::Next(std::vector<std::string>* cells) {
  begin_ = line_;
  cells->assign(1, "");
  bool is_blank = true;
  for (char c = 0; file_.get(c);) {
    if (c == '\n') {
      ++line_;
      if (!is_blank) return true;
      begin_ = line_;
      continue;
    }
    if (c == '\r') continue;
    is_blank = false;
    if (c == ',') {
      cells->emplace_back();
    } else if (c == '"' && cells->back().empty()) {
      TakeQuoted(&cells->back());
    } else {
      cells->back().push_back(c);
    }
  }
  return !is_blank;
}

// The meaning of the cells of one column.
struct CsvColumn {
  enum class Kind { kShapeA, kShapeB, kId, kNumber } kind = Kind::kNumber;
  std::size_t field = 0;
  std::size_t component = 0;
};

std::optional<CsvColumn> FindColumn(const std::vector<Field>& fields, const std::string& name) {
  if (name == "a") return CsvColumn{.kind = CsvColumn::Kind::kShapeA};
  if (name == "b") return CsvColumn{.kind = CsvColumn::Kind::kShapeB};
  if (name == "id") return CsvColumn{.kind = CsvColumn::Kind::kId};
  for (std::size_t field = 0; field < fields.size(); ++field) {
    for (std::size_t component = 0; component < fields[field].width; ++component) {
      if (name == ComponentName(fields[field], component)) {
        return CsvColumn{.field = field, .component = component};
      }
    }
  }
  return std::nullopt;
}

class CsvQuestions : public QuestionReader {
 public:
  CsvQuestions(std::vector<Field> fields, CsvText text) : fields_(std::move(fields)), text_(text) {}

  absl::Status ReadHeader();
  absl::StatusOr<QuestionRow> Next() override;

 private:
  absl::Status UnknownColumn(const std::string& name) const;
  // Each puts the fault into the row.
  void TakeCell(const CsvColumn& column, const std::string& cell, QuestionRow* row) const;
  void TakeFields(const std::vector<std::size_t>& given, QuestionRow* row) const;

  const std::vector<Field> fields_;
  CsvText text_;
  std::vector<std::string> names_;
  std::vector<CsvColumn> columns_;
};

absl::Status CsvQuestions::UnknownColumn(const std::string& name) const {
  std::string known = "a, b, id";
  for (const Field& field : fields_) {
    absl::StrAppend(&known, ", ", ComponentName(field, 0), field.width > 1 ? " …" : "");
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the header has the column `", name, "`; there are ", known));
}

absl::Status CsvQuestions::ReadHeader() {
  text_.SkipByteOrderMark();
  if (!text_.Next(&names_)) {
    const absl::Status end = text_.End();
    return absl::IsOutOfRange(end) ? absl::InvalidArgumentError("no header: the file is empty")
                                   : end;
  }
  if (text_.is_unclosed()) {
    return absl::InvalidArgumentError("the header has a quote without a closing quote");
  }
  std::vector<std::size_t> given(fields_.size());
  std::set<std::string> seen;
  for (const std::string& name : names_) {
    const std::optional<CsvColumn> column = FindColumn(fields_, name);
    if (!column) return UnknownColumn(name);
    if (!seen.insert(name).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("the header has the column `", name, "` more than once"));
    }
    if (column->kind == CsvColumn::Kind::kNumber) ++given[column->field];
    columns_.push_back(*column);
  }
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (given[i] == 0 || given[i] == fields_[i].width) continue;
    return absl::InvalidArgumentError(absl::StrCat("the header has ", given[i], " of the ",
                                                   fields_[i].width, " columns of `",
                                                   fields_[i].name, "`"));
  }
  return absl::OkStatus();
}

void CsvQuestions::TakeCell(const CsvColumn& column, const std::string& cell,
                            QuestionRow* row) const {
  switch (column.kind) {
    case CsvColumn::Kind::kShapeA:
      row->shape_a = cell;
      return;
    case CsvColumn::Kind::kShapeB:
      row->shape_b = cell;
      return;
    case CsvColumn::Kind::kId:
      row->id = cell;
      return;
    case CsvColumn::Kind::kNumber:
      break;
  }
  const Field& field = fields_[column.field];
  std::vector<double>& numbers = row->numbers[column.field];
  numbers.resize(field.width);
  if (absl::SimpleAtod(cell, &numbers[column.component])) return;
  row->fault = RowFault(ComponentName(field, column.component), cell, "a number");
}

void CsvQuestions::TakeFields(const std::vector<std::size_t>& given, QuestionRow* row) const {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (given[i] == 0 || given[i] == fields_[i].width) continue;
    row->fault = RowFault(fields_[i].name, absl::StrCat(given[i], " numbers"),
                          absl::StrCat(fields_[i].width, " numbers, or none"));
  }
}

absl::StatusOr<QuestionRow> CsvQuestions::Next() {
  std::vector<std::string> cells;
  if (!text_.Next(&cells) || !absl::IsOutOfRange(text_.End())) return text_.End();
  QuestionRow row = {.place = absl::StrCat("line ", text_.line())};
  row.numbers.resize(fields_.size());
  if (text_.is_unclosed()) {
    const std::string& name = cells.size() <= names_.size() ? names_[cells.size() - 1] : "row";
    row.fault = RowFault(name, cells.back().substr(0, kShownOfCell), "a closing quote");
    return row;
  }
  if (cells.size() != columns_.size()) {
    row.fault = RowFault("row", absl::StrCat(cells.size(), " cells"),
                         absl::StrCat(columns_.size(), " cells, as the header has"));
    return row;
  }
  std::vector<std::size_t> given(fields_.size());
  for (std::size_t i = 0; i < cells.size() && !row.fault; ++i) {
    if (cells[i].empty()) continue;
    TakeCell(columns_[i], cells[i], &row);
    if (columns_[i].kind == CsvColumn::Kind::kNumber) ++given[columns_[i].field];
  }
  if (!row.fault) TakeFields(given, &row);
  return row;
}

}  // namespace

absl::StatusOr<std::unique_ptr<QuestionReader>> OpenCsv(const QuestionLayout& layout,
                                                        std::istream* file) {
  auto reader = std::make_unique<CsvQuestions>(layout.fields, CsvText(file));
  if (absl::Status status = reader->ReadHeader(); !status.ok()) return status;
  return reader;
}

}  // namespace clearance::client
