// SPDX-License-Identifier: Apache-2.0
#include "client/cli/question_file.h"

#include <array>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace clearance::client {
namespace {

constexpr std::array<const char*, 7> kPoseComponents = {"x", "y", "z", "qx", "qy", "qz", "qw"};

}  // namespace

std::string ComponentName(const Field& field, std::size_t component) {
  return field.width == 1 ? field.name
                          : absl::StrCat(field.name, ".", kPoseComponents.at(component));
}

Error RowFault(const std::string& field, const std::string& value, const std::string& limit) {
  return {.code = absl::StatusCode::kInvalidArgument,
          .field = field,
          .value = value,
          .limit = limit,
          .message = "The row is malformed."};
}

std::optional<QuestionFormat> FormatOf(const std::string& path) {
  if (absl::EndsWithIgnoreCase(path, ".csv")) return QuestionFormat::kCsv;
  if (absl::EndsWithIgnoreCase(path, ".jsonl")) return QuestionFormat::kJsonLines;
  if (absl::EndsWithIgnoreCase(path, ".npy")) return QuestionFormat::kNpy;
  return std::nullopt;
}

absl::StatusOr<std::unique_ptr<QuestionReader>> OpenQuestions(const QuestionLayout& layout,
                                                              std::istream* file) {
  switch (layout.format) {
    case QuestionFormat::kCsv:
      return OpenCsv(layout, file);
    case QuestionFormat::kJsonLines:
      return OpenJsonLines(layout, file);
    default:
      return OpenNpy(layout, file);
  }
}

}  // namespace clearance::client
