// SPDX-License-Identifier: Apache-2.0
//
// A whole text file, and what there is to say of one.

#ifndef CLEARANCE_CLIENT_CLI_READ_FILE_H_
#define CLEARANCE_CLIENT_CLI_READ_FILE_H_

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace clearance::client {

// NOT_FOUND where it cannot be read, INVALID_ARGUMENT where it is a directory, which opens like a
// file and ends at once.
inline absl::StatusOr<std::ifstream> OpenFile(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return absl::InvalidArgumentError(path + ": is a directory, must be a file");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(path + ": cannot be read");
  return file;
}

// As OpenFile() says. An empty file is no error.
inline absl::StatusOr<std::string> ReadFile(const std::string& path) {
  absl::StatusOr<std::ifstream> file = OpenFile(path);
  if (!file.ok()) return file.status();
  std::ostringstream text;
  // The stream of a text takes no nothing: an empty file would be an error to it.
  const bool is_empty = file->peek() == std::ifstream::traits_type::eof();
  if (file->bad() || (!is_empty && !(text << file->rdbuf()))) {
    return absl::NotFoundError(path + ": cannot be read");
  }
  return text.str();
}

// Of a file that gives no more: OUT_OF_RANGE at its end, DATA_LOSS where it cannot be read on.
// (std::cin says that only through stdin.)
inline absl::Status EndOf(const std::istream& file) {
  const bool is_broken = file.bad() || (&file == &std::cin && std::ferror(stdin) != 0);
  return is_broken ? absl::DataLossError("cannot be read to its end")
                   : absl::OutOfRangeError("the end");
}

// What was wrong with the content of a file, with the file's name.
inline absl::Status InFile(const std::string& path, const absl::Status& status) {
  return {status.code(), absl::StrCat(path, ": ", absl::string_view(status.message()))};
}

}  // namespace clearance::client

#endif  // CLEARANCE_CLIENT_CLI_READ_FILE_H_
