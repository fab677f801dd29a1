// SPDX-License-Identifier: Apache-2.0
//
// The files of the page that the HTTP port shows, read once: no request reaches the disk.

#pragma once

#include <map>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/observe/http_server.h"

namespace clearance::server {

// Holds the files of a page. Immutable.
class PageFiles {
 public:
  // Reads every regular file below `directory`. INVALID_ARGUMENT if there is no index.html, if
  // there are more than 100 files or 16 MiB, or if a file has an ending other than those of a page
  // (html, js, css, svg, png, ico, json). NOT_FOUND if it cannot be read.
  static absl::StatusOr<PageFiles> Read(const std::string& directory);

  // Returns null if there is no such file. `/` is /index.html.
  const HttpReply* Find(absl::string_view path) const;

 private:
  explicit PageFiles(std::map<std::string, HttpReply, std::less<>> files)
      : files_(std::move(files)) {}

  std::map<std::string, HttpReply, std::less<>> files_;  // by path, which begins with `/`
};

}  // namespace clearance::server
