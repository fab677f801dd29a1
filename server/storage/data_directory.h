// SPDX-License-Identifier: Apache-2.0
//
// The directory of the shapes. It is made if it does not exist, only its owner can read it, and one
// server uses it at a time.

#pragma once

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "server/observe/descriptor.h"

namespace clearance::server {

std::string DatabasePath(const std::string& data_dir);

// Syncs the directory, so that the name of a new file in it survives a loss of power.
void SyncDirectory(const std::string& path);

// Holds the lock of the database. The system releases it when the process ends, in any way. It must
// outlive everything that has the database open: closing a file releases SQLite's locks of that
// file. Thread-compatible.
class DataDirectory {
 public:
  // Makes the directory (0700; not its parents) and an empty database file (0600) if they do not
  // exist. FAILED_PRECONDITION, naming the path and advice, if another server has it, if it cannot
  // be written, or if the database is empty or gone although it was marked as used.
  static absl::StatusOr<DataDirectory> Open(const std::string& path);

  const std::string& path() const { return path_; }
  // Marks the database as never empty from now on: an empty one is not the one that was used.
  absl::Status MarkUsed() const;
  // Returns whether users other than the owner may enter the directory.
  bool is_open_to_others() const;

 private:
  DataDirectory(std::string path, Descriptor database)
      : path_(std::move(path)), database_(std::move(database)) {}

  std::string path_;
  Descriptor database_;  // holds the lock
};

}  // namespace clearance::server
