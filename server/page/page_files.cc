// SPDX-License-Identifier: Apache-2.0
#include "server/page/page_files.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace clearance::server {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 100;
constexpr std::size_t kMostBytes = 16 << 20;

constexpr std::pair<std::string_view, std::string_view> kContentTypes[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".ico", "image/x-icon"},
    {".json", "application/json"},
};

absl::Status NoPage(const std::string& directory, absl::string_view reason) {
  return absl::InvalidArgumentError(absl::StrCat("--page_dir=", directory, ": ", reason));
}

// Empty for an ending that is none of a page's.
std::string_view ContentTypeOf(const fs::path& file) {
  for (const auto& [ending, type] : kContentTypes) {
    if (file.extension() == ending) return type;
  }
  return {};
}

absl::StatusOr<std::string> Content(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  if (!stream.is_open() || stream.bad())
    return absl::NotFoundError(absl::StrCat("cannot read ", file.string()));
  return content;
}

}  // namespace

absl::StatusOr<PageFiles> PageFiles::Read(const std::string& directory) {
  std::map<std::string, HttpReply, std::less<>> files;
  std::size_t bytes = 0;
  std::error_code error;
  fs::recursive_directory_iterator entry(directory, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code unknown;
    if (!entry->is_regular_file(unknown)) continue;
    const std::string_view type = ContentTypeOf(entry->path());
    const std::string path = "/" + entry->path().lexically_relative(directory).generic_string();
    if (type.empty())
      return NoPage(directory, absl::StrCat(path, " has a type that a page does not use"));
    absl::StatusOr<std::string> content = Content(entry->path());
    if (!content.ok()) return content.status();
    bytes += content->size();
    files[path] = {.content_type = std::string(type), .body = *std::move(content)};
    if (files.size() > kMostFiles || bytes > kMostBytes)
      return NoPage(directory, "more than 100 files or 16 MiB");
  }
  if (error)
    return absl::NotFoundError(absl::StrCat("--page_dir=", directory, ": ", error.message()));
  if (files.find("/index.html") == files.end()) return NoPage(directory, "has no index.html");
  return PageFiles(std::move(files));
}

const HttpReply* PageFiles::Find(absl::string_view path) const {
  const auto file = files_.find(path == "/" ? "/index.html" : path);
  return file == files_.end() ? nullptr : &file->second;
}

}  // namespace clearance::server
