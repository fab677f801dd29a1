// SPDX-License-Identifier: Apache-2.0
//
// Questions as one JSON object a line. Blank lines are skipped.
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/cli/question_file.h"
#include "client/cli/read_file.h"

namespace clearance::client {
namespace {

// Longest part of a wrong value that a line of an error shows.
constexpr std::size_t kShownCharacters = 40;
// Limit on nesting, above that of any shape: copying and writing a value take one call a level.
constexpr std::size_t kMostNesting = 100;

std::string Shown(const Json& value) {
  const std::string text = JsonText(value);
  return text.size() <= kShownCharacters ? text : text.substr(0, kShownCharacters) + "…";
}

bool IsNestedTooDeep(const std::string& line) {
  std::size_t depth = 0;
  bool is_in_text = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') is_in_text = !is_in_text;
    if (is_in_text) {
      if (c == '\\') ++i;  // an escaped character does not end the text
      continue;
    }
    if ((c == '[' || c == '{') && ++depth > kMostNesting) return true;
    if ((c == ']' || c == '}') && depth > 0) --depth;
  }
  return false;
}

class JsonQuestions : public QuestionReader {
 public:
  JsonQuestions(std::vector<Field> fields, std::istream* file)
      : fields_(std::move(fields)), file_(*file) {}

  absl::StatusOr<QuestionRow> Next() override;

 private:
  std::optional<Error> Take(const std::string& name, const Json& value, QuestionRow* row) const;
  std::optional<Error> TakeNumbers(std::size_t field, const Json& value, QuestionRow* row) const;

  const std::vector<Field> fields_;
  std::istream& file_;
  std::uint64_t line_ = 0;
  bool has_rows_ = false;
};

// A shape may be given in full: {"sphere": {"radius": 1}} as well as "crate".
std::string ShapeText(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::optional<Error> JsonQuestions::TakeNumbers(std::size_t field, const Json& value,
                                                QuestionRow* row) const {
  const auto& [name, width] = fields_[field];
  const Json list = value.is_array() ? value : Json::array({value});
  if (list.size() != width) {
    return RowFault(name, Shown(value), absl::StrCat(width, " numbers"));
  }
  for (std::size_t i = 0; i < width; ++i) {
    if (!list[i].is_number()) {
      return RowFault(ComponentName(fields_[field], i), Shown(list[i]), "a number");
    }
    row->numbers[field].push_back(list[i].get<double>());
  }
  return std::nullopt;
}

std::optional<Error> JsonQuestions::Take(const std::string& name, const Json& value,
                                         QuestionRow* row) const {
  if (name == "a" || name == "b") {
    if (!value.is_string() && !value.is_object()) {
      return RowFault(name, Shown(value), "a shape: its name, digest, file or JSON");
    }
    (name == "a" ? row->shape_a : row->shape_b) = ShapeText(value);
    return std::nullopt;
  }
  if (name == "id") {
    row->id = value;
    return std::nullopt;
  }
  for (std::size_t field = 0; field < fields_.size(); ++field) {
    if (name == fields_[field].name) return TakeNumbers(field, value, row);
  }
  std::string known = "a, b, id";
  for (const Field& field : fields_) absl::StrAppend(&known, ", ", field.name);
  return RowFault(name, Shown(value), "one of " + known);
}

absl::StatusOr<QuestionRow> JsonQuestions::Next() {
  std::string line;
  do {
    if (!std::getline(file_, line)) {
      const absl::Status end = EndOf(file_);
      if (has_rows_ || !absl::IsOutOfRange(end)) return end;
      return absl::InvalidArgumentError("no row: the file is empty");
    }
    ++line_;
  } while (absl::StripAsciiWhitespace(line).empty());
  has_rows_ = true;
  QuestionRow row = {.place = absl::StrCat("line ", line_)};
  row.numbers.resize(fields_.size());
  if (IsNestedTooDeep(line)) {
    row.fault = RowFault("row", line.substr(0, kShownCharacters),
                         absl::StrCat("nested at most ", kMostNesting, " levels deep"));
    return row;
  }
  const Json object = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) {
    row.fault = RowFault("row", line.substr(0, kShownCharacters), "a JSON object");
    return row;
  }
  for (const auto& [name, value] : object.items()) {
    row.fault = Take(name, value, &row);
    if (row.fault) break;
  }
  return row;
}

}  // namespace

std::unique_ptr<QuestionReader> OpenJsonLines(const QuestionLayout& layout, std::istream* file) {
  return std::make_unique<JsonQuestions>(layout.fields, file);
}

}  // namespace clearance::client
