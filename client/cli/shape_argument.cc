// SPDX-License-Identifier: Apache-2.0
#include "client/cli/shape_argument.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/cli/output.h"
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

bool IsFile(const std::string& argument) {
  std::error_code error;
  return std::filesystem::exists(argument, error);
}

bool IsJsonFile(const std::string& argument) {
  return LowerExtension(argument) == ".json" && IsFile(argument);
}

bool IsAscii(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isascii(static_cast<unsigned char>(c)); });
}

bool IsJsonText(const std::string& argument) { return absl::StartsWith(argument, "{"); }

// The lengths that a kind of shape cannot do without: in protobuf's JSON a number that is left out
// is 0, and a box without its extents would be a point.
struct RequiredLengths {
  const char* kind;
  std::vector<const char*> paths;
};
const std::vector<RequiredLengths>& AllRequiredLengths() {
  static const auto* const kLengths = new std::vector<RequiredLengths>{
      {"segment", {"/a", "/b"}},
      {"triangle", {"/a", "/b", "/c"}},
      {"sphere", {"/radius"}},
      {"capsule", {"/radius", "/halfLength"}},
      {"box", {"/halfExtents/x", "/halfExtents/y", "/halfExtents/z"}},
      {"hull", {"/vertices"}},
      {"polygon", {"/vertices"}},
      {"cylinder", {"/radius", "/halfLength"}},
      {"cone", {"/radius", "/halfLength"}},
      {"ellipsoid", {"/semiAxes/x", "/semiAxes/y", "/semiAxes/z"}},
      {"compound", {"/pieces"}},
  };
  return *kLengths;
}

// "half_extents" of "halfExtents": both are read.
std::string SnakeCase(absl::string_view name) {
  std::string snake;
  for (const char c : name) {
    if (absl::ascii_isupper(static_cast<unsigned char>(c))) snake += '_';
    snake += absl::ascii_tolower(static_cast<unsigned char>(c));
  }
  return snake;
}

bool Has(const Json& object, const std::string& path) {
  return object.contains(Json::json_pointer(path)) ||
         object.contains(Json::json_pointer(SnakeCase(path)));
}

// Requires: JSON of a clearance.v1.Shape.
absl::Status RequireLengths(const Json& shape, const std::string& where) {
  for (const RequiredLengths& required : AllRequiredLengths()) {
    if (!shape.contains(required.kind)) continue;
    for (const char* const path : required.paths) {
      if (Has(shape[required.kind], path)) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "missing ", where, required.kind, absl::StrReplaceAll(SnakeCase(path), {{"/", "."}}),
          ": a shape must have all of its lengths (a length may be 0)"));
    }
  }
  return absl::OkStatus();
}

void AddZeroLengthsOfOne(Json* shape) {
  for (const RequiredLengths& required : AllRequiredLengths()) {
    if (!shape->contains(required.kind)) continue;
    for (const char* const path : required.paths) {
      Json& kind = (*shape)[required.kind];
      if (!Has(kind, path)) kind[Json::json_pointer(path)] = 0;
    }
  }
}

// Returns the message that a path such as "compound.pieces[0].shape" leads to, or null.
const google::protobuf::Descriptor* MessageAt(absl::string_view path) {
  const google::protobuf::Descriptor* message = v1::Shape::descriptor();
  for (const absl::string_view step : absl::StrSplit(path, '.', absl::SkipEmpty())) {
    const std::string name = SnakeCase(step.substr(0, step.find('[')));
    const google::protobuf::FieldDescriptor* const field = message->FindFieldByName(name);
    message = field == nullptr ? nullptr : field->message_type();
    if (message == nullptr) return nullptr;
  }
  return message;
}

// Returns what to write instead: the fields that a shape in JSON has where protobuf found an
// unknown one, as in "(sphere) r: Cannot find field." or at the top "r: Cannot find field.", or the
// form of a vector. Empty for its other messages.
std::string Advice(absl::string_view problem) {
  if (absl::StrContains(problem, "cannot start list"))
    return R"( A vector is {"x": 1, "y": 2, "z": 3}.)";
  if (!absl::StrContains(problem, "Cannot find field")) return "";
  absl::string_view path;
  if (absl::ConsumePrefix(&problem, "(")) path = problem.substr(0, problem.find(')'));
  const google::protobuf::Descriptor* const message = MessageAt(path);
  if (message == nullptr) return "";
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(message->field_count()));
  for (int i = 0; i < message->field_count(); ++i) names.push_back(message->field(i)->name());
  return absl::StrCat(" Fields: ", absl::StrJoin(names, ", "));
}

absl::StatusOr<Shape> LoadJson(const std::string& argument) {
  if (IsJsonText(argument)) return ParseShapeJson(argument);
  const absl::StatusOr<std::string> text = ReadFile(argument);
  if (!text.ok()) return text.status();
  return ParseShapeJson(*text);
}

}  // namespace

absl::Status RequireAllLengths(const Json& shape) {
  if (absl::Status status = RequireLengths(shape, ""); !status.ok()) return status;
  if (!shape.contains("/compound/pieces"_json_pointer)) return absl::OkStatus();
  std::size_t i = 0;
  for (const Json& piece : shape["compound"]["pieces"]) {
    const std::string where = absl::StrCat("compound.pieces[", i++, "].shape.");
    if (!piece.contains("shape")) continue;
    if (absl::Status status = RequireLengths(piece["shape"], where); !status.ok()) return status;
  }
  return absl::OkStatus();
}

void AddZeroLengths(Json* shape) {
  AddZeroLengthsOfOne(shape);
  if (!shape->contains("/compound/pieces"_json_pointer)) return;
  for (Json& piece : (*shape)["compound"]["pieces"]) {
    if (piece.contains("shape")) AddZeroLengthsOfOne(&piece["shape"]);
  }
}

absl::StatusOr<Shape> ParseShapeJson(const std::string& json) {
  v1::Shape proto;
  const auto status = google::protobuf::util::JsonStringToMessage(json, &proto);
  if (!status.ok()) {
    const std::string problem(status.message());
    return absl::InvalidArgumentError(
        absl::StrCat("no clearance.v1.Shape in JSON: ", problem, Advice(problem)));
  }
  const Json parsed = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_object()) {
    if (absl::Status lengths = RequireAllLengths(parsed); !lengths.ok()) return lengths;
  }
  return FromProto(proto);
}

absl::StatusOr<Shape> LoadShape(const std::string& argument, const MeshOptions& options) {
  if (IsJsonText(argument) || LowerExtension(argument) == ".json") {
    if (options.empty()) return LoadJson(argument);
    return absl::InvalidArgumentError(
        "--scale, --units, --up, --parts and --hull are for mesh files: the numbers of a shape in "
        "JSON are metres");
  }
  absl::StatusOr<MeshShape> loaded = LoadMeshShape(argument, options);
  if (!loaded.ok()) return loaded.status();
  for (const std::string& warning : loaded->warnings) {
    absl::FPrintF(stderr, "warning: %s\n", warning);
  }
  return std::move(loaded->shape);
}

bool IsMeshFile(const std::string& argument) {
  const std::string extension = LowerExtension(argument);
  for (const char* known : {".obj", ".stl", ".ply", ".off"}) {
    if (extension == known) return IsFile(argument);
  }
  return false;
}

bool LooksLikeFile(const std::string& argument) {
  return absl::StrContains(argument, '/') || !LowerExtension(argument).empty();
}

std::string NoSuchShape(const std::string& argument) {
  constexpr char kAdvice[] = "; `clearance list` shows the names";
  if (IsFile(argument)) {
    return absl::StrCat("no shape has the name '", argument,
                        "', and a file must be .obj, .stl, .ply, .off or .json", kAdvice);
  }
  if (LooksLikeFile(argument))
    return absl::StrCat("no file '", argument, "', and no shape of that name", kAdvice);
  return absl::StrCat("no shape has the name '", argument, "'", kAdvice);
}

absl::Status RequireMeshFor(const MeshOptions& options, const std::vector<std::string>& arguments) {
  if (options.empty() || std::any_of(arguments.begin(), arguments.end(), IsMeshFile)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "--scale, --units, --up, --parts and --hull are for mesh files, and none was given: a "
      "registered shape is what it is, and shapes in JSON are metres");
}

absl::StatusOr<ShapeReference> ParseShapeArgument(const std::string& argument,
                                                  const MeshOptions& options) {
  if (IsJsonText(argument)) return ParseShapeJson(argument);
  if (absl::StartsWith(argument, "v1-sha256-") && IsAscii(argument)) return ByDigest{argument};
  // A registered name may look like a file: the file wins only where it is there.
  if (IsJsonFile(argument)) return LoadShape(argument, MeshOptions());
  if (IsMeshFile(argument)) {
    return LoadShape(argument, options);
  }
  // In a message, text that is no UTF-8 would end the whole session.
  if (!IsAscii(argument)) {
    return absl::InvalidArgumentError("no file, and names and digests are of ASCII characters");
  }
  return ByName{argument};
}

}  // namespace clearance::client
