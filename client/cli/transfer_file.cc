// SPDX-License-Identifier: Apache-2.0
#include "client/cli/transfer_file.h"

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "internal/scene_convert.h"
#include "internal/shape_convert.h"

namespace clearance::client {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kFirstLine[] = R"({"clearance_shapes":2})";
constexpr char kFirstLineOfVersion1[] = R"({"clearance_shapes":1})";

std::string PartialName(const std::string& path) { return path + ".partial"; }

// Empty where the object has no such text.
std::string Text(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

absl::StatusOr<TransferItem> ParseScene(const Json& object) {
  const std::string name = Text(object, "scene");
  std::string bytes;
  v1::SceneChange proto;
  if (name.empty() || !object.contains("content") ||
      !absl::Base64Unescape(Text(object, "content"), &bytes) || !proto.ParseFromString(bytes)) {
    return absl::InvalidArgumentError("no name of a scene, or no content");
  }
  absl::StatusOr<SceneChange> content = FromProto(proto);
  if (!content.ok()) return content.status();
  return TransferScene{name, *std::move(content)};
}

absl::StatusOr<TransferItem> Parse(const std::string& line) {
  const Json object = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return absl::InvalidArgumentError("no JSON object");
  if (object.contains("scene")) return ParseScene(object);
  TransferShape item{Text(object, "name"), Text(object, "digest"), {}};
  std::string bytes;
  v1::Shape proto;
  if (item.name.empty() || !absl::Base64Unescape(Text(object, "shape"), &bytes) ||
      !proto.ParseFromString(bytes)) {
    return absl::InvalidArgumentError("no name, or no shape");
  }
  absl::StatusOr<Shape> shape = FromProto(proto);
  if (!shape.ok()) return shape.status();
  item.shape = *std::move(shape);
  return item;
}

}  // namespace

TransferWriter::TransferWriter(std::string path)
    : path_(std::move(path)), file_(PartialName(path_), std::ios::trunc) {
  file_ << kFirstLine << '\n';
}

void TransferWriter::Write(const TransferShape& shape) {
  v1::Shape proto;
  ToProto(shape.shape, &proto);
  const Json line = {{"name", shape.name},
                     {"digest", shape.digest},
                     {"shape", absl::Base64Escape(proto.SerializeAsString())}};
  file_ << line.dump() << '\n';
}

void TransferWriter::Write(const TransferScene& scene) {
  v1::SceneChange proto;
  ToProto(scene.content, &proto);
  const Json line = {{"scene", scene.name},
                     {"content", absl::Base64Escape(proto.SerializeAsString())}};
  file_ << line.dump() << '\n';
}

absl::Status TransferWriter::Finish() {
  file_.close();
  if (file_ && std::rename(PartialName(path_).c_str(), path_.c_str()) == 0) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(path_, ": cannot be written"));
}

TransferReader::TransferReader(std::string path, std::ifstream file)
    : path_(std::move(path)), file_(std::move(file)) {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path_, error);
  bytes_ = error ? 0 : size;
}

absl::StatusOr<TransferReader> TransferReader::Open(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  if (!std::getline(file, line) || (line != kFirstLine && line != kFirstLineOfVersion1)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": no file of `clearance export`: its first line is not ", kFirstLine,
                     ", nor that of an earlier version"));
  }
  return TransferReader(path, std::move(file));
}

absl::StatusOr<TransferItem> TransferReader::Next() {
  std::string line;
  if (!std::getline(file_, line)) return absl::OutOfRangeError("the end");
  ++line_;
  bytes_read_ += line.size() + 1;
  absl::StatusOr<TransferItem> item = Parse(line);
  if (item.ok()) return item;
  return absl::InvalidArgumentError(absl::StrCat(path_, ":", line_, ": ", item.status().message()));
}

}  // namespace clearance::client
