// SPDX-License-Identifier: Apache-2.0
//
// The directory that shapes live in: made if it is not there, readable by its owner alone, and one
// server's at a time.

#ifndef CLEARANCE_SERVER_STORAGE_DATA_DIRECTORY_H_
#define CLEARANCE_SERVER_STORAGE_DATA_DIRECTORY_H_

#include <string>

#include "absl/status/statusor.h"

namespace clearance::server {

// The database of a data directory.
std::string DatabasePath(const std::string& data_dir);

// So that the name of what was made in the directory survives a loss of power.
void SyncDirectory(const std::string& path);

// Holds the lock of the database, which the system takes back from a process that ends, however it
// ends. It must outlive whatever has the database open: closing a file takes locks of SQLite's
// from it. Thread-compatible.
class DataDirectory {
 public:
  // Makes the directory (0700; not those above it) and an empty database file (0600) where there
  // are none. FAILED_PRECONDITION, naming the path and what to do, where another server has it,
  // where it cannot be written, and where the database is empty or gone though it was marked as
  // used.
  static absl::StatusOr<DataDirectory> Open(const std::string& path);

  ~DataDirectory();
  DataDirectory(DataDirectory&& other) noexcept;
  DataDirectory& operator=(DataDirectory&&) = delete;

  const std::string& path() const { return path_; }
  std::string database_path() const { return DatabasePath(path_); }
  // From now on the database is never empty: an empty one is not the one that was used.
  absl::Status MarkUsed() const;
  // Users other than the owner may enter the directory.
  bool is_open_to_others() const;

 private:
  DataDirectory(std::string path, int database) : path_(std::move(path)), database_(database) {}

  std::string path_;
  int database_ = -1;  // holds the lock
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_STORAGE_DATA_DIRECTORY_H_
