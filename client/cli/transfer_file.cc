// SPDX-License-Identifier: Apache-2.0
#include "client/cli/transfer_file.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "client/cli/read_file.h"
#include "internal/scene_convert.h"
#include "internal/shape_convert.h"

namespace clearance::client {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kFirstLine[] = R"({"clearance_shapes":2})";
constexpr char kFirstLineOfVersion1[] = R"({"clearance_shapes":1})";

std::string PartialName(const std::string& path) { return path + ".partial"; }

// The target must be free or a regular file: nothing else is replaced.
absl::Status CheckTarget(const std::string& name) {
  std::error_code ignored;  // for a free name, among others
  const std::filesystem::file_status found = std::filesystem::status(name, ignored);
  if (!std::filesystem::exists(found) || std::filesystem::is_regular_file(found)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": is there and no regular file: it is not replaced"));
}

// Returns the text; empty if the object has none under this key.
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

TransferWriter::TransferWriter(std::string path) : path_(std::move(path)) {
  for (const std::string& name : {path_, PartialName(path_)}) {
    if (status_.ok()) status_ = CheckTarget(name);
  }
  if (!status_.ok()) return;
  errno = 0;
  file_.open(PartialName(path_), std::ios::trunc);
  is_there_ = file_.is_open();
  TakeError(!is_there_);
  WriteLine(kFirstLine);
}

TransferWriter::~TransferWriter() {
  std::error_code ignored;
  if (is_there_) std::filesystem::remove(PartialName(path_), ignored);
}

void TransferWriter::WriteLine(const std::string& line) {
  errno = 0;
  file_ << line << '\n';
  TakeError(!file_);
}

void TransferWriter::TakeError(bool has_failed) {
  const int error = errno == 0 ? EIO : errno;
  if (!has_failed || !status_.ok()) return;
  status_ = absl::UnavailableError(
      absl::StrCat(path_, ": cannot be written: ", std::generic_category().message(error)));
}

void TransferWriter::Write(const TransferShape& shape) {
  v1::Shape proto;
  ToProto(shape.shape, &proto);
  const Json line = {{"name", shape.name},
                     {"digest", shape.digest},
                     {"shape", absl::Base64Escape(proto.SerializeAsString())}};
  WriteLine(line.dump());
}

void TransferWriter::Write(const TransferScene& scene) {
  v1::SceneChange proto;
  ToProto(scene.content, &proto);
  const Json line = {{"scene", scene.name},
                     {"content", absl::Base64Escape(proto.SerializeAsString())}};
  WriteLine(line.dump());
}

absl::Status TransferWriter::Finish() {
  errno = 0;
  file_.close();
  TakeError(!file_);
  if (!status_.ok()) return status_;
  is_there_ = std::rename(PartialName(path_).c_str(), path_.c_str()) != 0;
  TakeError(is_there_);
  return status_;
}

TransferReader::TransferReader(std::string path, std::ifstream file)
    : path_(std::move(path)), file_(std::move(file)) {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path_, error);
  bytes_ = error ? 0 : size;
}

absl::StatusOr<TransferReader> TransferReader::Open(const std::string& path) {
  absl::StatusOr<std::ifstream> file = OpenFile(path);
  if (!file.ok()) return file.status();
  std::string line;
  if (!std::getline(*file, line) || (line != kFirstLine && line != kFirstLineOfVersion1)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": no file of `clearance export`: its first line is not ", kFirstLine,
                     ", nor that of an earlier version"));
  }
  return TransferReader(path, *std::move(file));
}

absl::StatusOr<TransferItem> TransferReader::Next() {
  std::string line;
  if (!std::getline(file_, line)) return InFile(path_, EndOf(file_));
  ++line_;
  bytes_read_ += line.size() + 1;
  absl::StatusOr<TransferItem> item = Parse(line);
  if (item.ok()) return item;
  return absl::InvalidArgumentError(absl::StrCat(path_, ":", line_, ": ", item.status().message()));
}

}  // namespace clearance::client
