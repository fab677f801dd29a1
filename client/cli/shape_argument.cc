// SPDX-License-Identifier: Apache-2.0
#include "client/cli/shape_argument.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/cli/read_file.h"
#include "internal/shape_convert.h"

namespace clearance::client {
namespace {

std::string LowerExtension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

bool IsShapeFile(const std::string& argument) {
  const std::string extension = LowerExtension(argument);
  for (const char* known : {".obj", ".stl", ".ply", ".off", ".json"}) {
    if (extension == known) return true;
  }
  return false;
}

bool IsAscii(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isascii(static_cast<unsigned char>(c)); });
}

bool IsJsonText(const std::string& argument) { return absl::StartsWith(argument, "{"); }

absl::StatusOr<Shape> LoadJson(const std::string& argument) {
  if (IsJsonText(argument)) return ParseShapeJson(argument);
  const absl::StatusOr<std::string> text = ReadFile(argument);
  if (!text.ok()) return text.status();
  return ParseShapeJson(*text);
}

}  // namespace

absl::StatusOr<Shape> ParseShapeJson(const std::string& json) {
  v1::Shape proto;
  const auto status = google::protobuf::util::JsonStringToMessage(json, &proto);
  if (!status.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("no clearance.v1.Shape in JSON: ", std::string(status.message())));
  }
  return FromProto(proto);
}

absl::StatusOr<LoadedShape> LoadShape(const std::string& argument, std::optional<double> scale) {
  if (IsJsonText(argument) || LowerExtension(argument) == ".json") {
    if (scale) {
      return absl::InvalidArgumentError(
          "--scale is for mesh files: the numbers of a shape in JSON are metres");
    }
    absl::StatusOr<Shape> shape = LoadJson(argument);
    if (!shape.ok()) return shape.status();
    return LoadedShape{*std::move(shape), std::nullopt};
  }
  absl::StatusOr<Mesh> mesh = LoadMesh(argument, scale.value_or(1));
  if (!mesh.ok()) return mesh.status();
  return LoadedShape{ToShape(*mesh), *mesh};
}

absl::StatusOr<ShapeReference> ParseShapeArgument(const std::string& argument) {
  if (IsJsonText(argument)) return ParseShapeJson(argument);
  if (absl::StartsWith(argument, "v1-sha256-") && IsAscii(argument)) return ByDigest{argument};
  // A registered name may look like a file: the file wins only where it is there.
  std::error_code error;
  if (IsShapeFile(argument) && std::filesystem::exists(argument, error)) {
    absl::StatusOr<LoadedShape> loaded = LoadShape(argument, std::nullopt);
    if (!loaded.ok()) return loaded.status();
    return std::move(loaded->shape);
  }
  // In a message, text that is no UTF-8 would end the whole session.
  if (!IsAscii(argument)) {
    return absl::InvalidArgumentError("no file, and names and digests are of ASCII characters");
  }
  return ByName{argument};
}

}  // namespace clearance::client
