// SPDX-License-Identifier: Apache-2.0
//
// NumPy's array files, versions 1 to 3 (numpy.lib.format): a magic text, the length of a header,
// the header as a Python dictionary, then the numbers.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/cli/question_file.h"

namespace clearance::client {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are taken as they lie");

constexpr absl::string_view kMagic = "\x93NUMPY";
// More than any header of two dimensions has.
constexpr std::uint32_t kLongestHeader = 1 << 16;

absl::Status NoNpy(const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("no array file of NumPy: ", what));
}

// Returns the text that follows "'key':" in the header, up to `end`.
std::string ValueOf(absl::string_view header, absl::string_view key, absl::string_view end) {
  const std::size_t at = header.find(absl::StrCat("'", key, "':"));
  if (at == absl::string_view::npos) return "";
  header.remove_prefix(at + key.size() + 3);
  return std::string(absl::StripAsciiWhitespace(header.substr(0, header.find(end))));
}

absl::StatusOr<std::string> ReadHeader(std::istream* file) {
  std::array<char, 8> start;
  if (!file->read(start.data(), start.size()) ||
      absl::string_view(start.data(), kMagic.size()) != kMagic) {
    return NoNpy("its first bytes are others");
  }
  // Version 1 has 2 bytes of length, the later ones 4.
  std::uint32_t size = 0;
  const std::streamsize bytes = start[6] == 1 ? 2 : 4;
  if (!file->read(reinterpret_cast<char*>(&size), bytes) || size > kLongestHeader) {
    return NoNpy("its header has no length");
  }
  std::string header(size, ' ');
  if (!file->read(header.data(), size)) return NoNpy("its header is cut off");
  return header;
}

struct NpyShape {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  bool is_float64 = false;
};

absl::StatusOr<NpyShape> ParseHeader(const std::string& header) {
  NpyShape shape;
  const std::string type = ValueOf(header, "descr", ",");
  shape.is_float64 = type == "'<f8'";
  if (!shape.is_float64 && type != "'<f4'") {
    return absl::InvalidArgumentError(absl::StrCat(
        "an array of ", type, ": must be float64 or float32, little-endian; x.astype('<f8')"));
  }
  if (ValueOf(header, "fortran_order", ",") != "False") {
    return absl::InvalidArgumentError(
        "an array in Fortran's order: must be in C's; numpy.ascontiguousarray(x)");
  }
  const std::string dimensions = ValueOf(header, "shape", ")");
  const std::vector<std::string> sizes =
      absl::StrSplit(absl::string_view(dimensions).substr(dimensions.empty() ? 0 : 1), ',');
  if (sizes.size() != 2 || !absl::SimpleAtoi(sizes[0], &shape.rows) ||
      !absl::SimpleAtoi(sizes[1], &shape.columns)) {
    return absl::InvalidArgumentError(
        absl::StrCat("an array of the shape ", dimensions, "): must be (rows, columns)"));
  }
  return shape;
}

class NpyQuestions : public QuestionReader {
 public:
  NpyQuestions(const QuestionLayout& layout, std::istream* file)
      : fields_(layout.fields), names_(layout.columns), file_(*file) {}

  absl::Status ReadHead();
  absl::StatusOr<QuestionRow> Next() override;

 private:
  absl::Status FindColumns();

  const std::vector<Field> fields_;
  const std::vector<std::string> names_;
  std::istream& file_;
  NpyShape shape_;
  std::vector<std::size_t> columns_;  // the field of each group of columns
  std::uint64_t row_ = 0;
};

absl::Status NpyQuestions::FindColumns() {
  std::size_t width = 0;
  for (const std::string& name : names_) {
    std::size_t field = 0;
    while (field < fields_.size() && name != fields_[field].name) ++field;
    if (field == fields_.size()) {
      return absl::InvalidArgumentError(absl::StrCat("--columns has `", name, "`, no field"));
    }
    if (std::find(columns_.begin(), columns_.end(), field) != columns_.end()) {
      return absl::InvalidArgumentError(absl::StrCat("--columns has `", name, "` more than once"));
    }
    columns_.push_back(field);
    width += fields_[field].width;
  }
  if (width == shape_.columns) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the array has ", shape_.columns, " columns, --columns tells of ", width));
}

absl::Status NpyQuestions::ReadHead() {
  const absl::StatusOr<std::string> header = ReadHeader(&file_);
  if (!header.ok()) return header.status();
  const absl::StatusOr<NpyShape> shape = ParseHeader(*header);
  if (!shape.ok()) return shape.status();
  shape_ = *shape;
  return FindColumns();
}

absl::StatusOr<QuestionRow> NpyQuestions::Next() {
  if (row_ == shape_.rows) return absl::OutOfRangeError("the end");
  std::vector<double> numbers(shape_.columns);
  const std::size_t size = shape_.is_float64 ? sizeof(double) : sizeof(float);
  std::string bytes(shape_.columns * size, '\0');
  if (!file_.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
    return absl::DataLossError(absl::StrCat("the file ends in row ", row_, " of ", shape_.rows));
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (shape_.is_float64) {
      std::memcpy(&numbers[i], &bytes[i * size], size);
    } else {
      float number = 0;
      std::memcpy(&number, &bytes[i * size], size);
      numbers[i] = number;
    }
  }
  QuestionRow row = {.place = absl::StrCat("row ", row_++)};
  row.numbers.resize(fields_.size());
  auto at = numbers.begin();
  for (const std::size_t field : columns_) {
    const auto end = at + static_cast<std::ptrdiff_t>(fields_[field].width);
    row.numbers[field].assign(at, end);
    at = end;
  }
  return row;
}

}  // namespace

absl::StatusOr<std::unique_ptr<QuestionReader>> OpenNpy(const QuestionLayout& layout,
                                                        std::istream* file) {
  auto reader = std::make_unique<NpyQuestions>(layout, file);
  if (absl::Status status = reader->ReadHead(); !status.ok()) return status;
  return reader;
}

}  // namespace clearance::client
