// SPDX-License-Identifier: Apache-2.0
//
// Questions in a file, a row each, read one after another: CSV, JSON lines and NumPy's arrays. A
// row has fields of one or more numbers ("pose_b": 7). For a field that a row leaves out, the
// command's value applies. A malformed row carries its own fault, and the rows after it are still
// read.
//
//   .csv    a header of `a`, `b`, `id` and components ("pose_b.x", "max_distance"), then the rows;
//           empty cells are left out
//   .jsonl  {"a": "crate", "b": "ball", "id": 7, "pose_b": [1, 0, 0, 0, 0, 0, 1], "max_distance":
//   2} .npy    two-dimensional, float64 or float32, little-endian, in C's order: columns as told

#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clearance/error.h"
#include "client/cli/output.h"

namespace clearance::client {

// A field that a row may give: its name, and how many numbers it has.
struct Field {
  std::string name;
  std::size_t width;
};

// Returns "pose_b.qw"; a field of one number has no components.
std::string ComponentName(const Field& field, std::size_t component);

struct QuestionRow {
  std::string place;  // "line 7" of text, "row 7" of an array
  Json id = {};       // as the row gave it, else null
  std::string shape_a = {};
  std::string shape_b = {};
  // The numbers of each field; empty if the row leaves it out.
  std::vector<std::vector<double>> numbers = {};
  std::optional<Error> fault = {};  // then the rest means nothing
};

// Returns the refusal of a row that gives a field a value that it cannot have.
Error RowFault(const std::string& field, const std::string& value, const std::string& limit);

// Thread-compatible.
class QuestionReader {
 public:
  virtual ~QuestionReader() = default;

  // Returns the next row; OUT_OF_RANGE after the last one. Any other status ends the file.
  virtual absl::StatusOr<QuestionRow> Next() = 0;
};

enum class QuestionFormat { kCsv, kJsonLines, kNpy };

// Chooses by the ending of the name.
std::optional<QuestionFormat> FormatOf(const std::string& path);

// The layout of a file. `fields` are all that its rows may give, `columns` the names of the fields
// that are the columns of an array, in order.
struct QuestionLayout {
  QuestionFormat format = QuestionFormat::kCsv;
  std::vector<Field> fields = {};
  std::vector<std::string> columns = {};
};

// Reads the file's head. The stream outlives the reader. INVALID_ARGUMENT if the head is not of
// this format, or names an unknown field.
absl::StatusOr<std::unique_ptr<QuestionReader>> OpenQuestions(const QuestionLayout& layout,
                                                              std::istream* file);

// One for each format; OpenQuestions chooses.
absl::StatusOr<std::unique_ptr<QuestionReader>> OpenCsv(const QuestionLayout& layout,
                                                        std::istream* file);
std::unique_ptr<QuestionReader> OpenJsonLines(const QuestionLayout& layout, std::istream* file);
absl::StatusOr<std::unique_ptr<QuestionReader>> OpenNpy(const QuestionLayout& layout,
                                                        std::istream* file);

}  // namespace clearance::client
