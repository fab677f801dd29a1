// SPDX-License-Identifier: Apache-2.0
//
// Reads a whole text file, and reports its errors.

#pragma once

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

// Opens a file. NOT_FOUND if it cannot be read, INVALID_ARGUMENT if it is a directory, which opens
// like a file and ends at once.
inline absl::StatusOr<std::ifstream> OpenFile(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return absl::InvalidArgumentError(path + ": is a directory, must be a file");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(path + ": cannot be read");
  return file;
}

// Reads a whole file; errors as of OpenFile(). An empty file is not an error.
inline absl::StatusOr<std::string> ReadFile(const std::string& path) {
  absl::StatusOr<std::ifstream> file = OpenFile(path);
  if (!file.ok()) return file.status();
  std::ostringstream text;
  // operator<< fails if it inserts no characters: an empty file would be an error.
  const bool is_empty = file->peek() == std::ifstream::traits_type::eof();
  if (file->bad() || (!is_empty && !(text << file->rdbuf()))) {
    return absl::NotFoundError(path + ": cannot be read");
  }
  return text.str();
}

// Returns the status of a file without further data: OUT_OF_RANGE at its end, DATA_LOSS if reading
// failed. (std::cin reports that only through stdin.)
inline absl::Status EndOf(const std::istream& file) {
  const bool is_broken = file.bad() || (&file == &std::cin && std::ferror(stdin) != 0);
  return is_broken ? absl::DataLossError("cannot be read to its end")
                   : absl::OutOfRangeError("the end");
}

// Returns the error of the content of a file, with the file's name.
inline absl::Status InFile(const std::string& path, const absl::Status& status) {
  return {status.code(), absl::StrCat(path, ": ", absl::string_view(status.message()))};
}

}  // namespace clearance::client
