// SPDX-License-Identifier: Apache-2.0

#include "server/storage/data_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace clearance::server {
namespace {

constexpr mode_t kOwnerOnly = 0700;
constexpr mode_t kOwnersFile = 0600;
constexpr mode_t kOthers = 0077;

absl::Status Unusable(const std::string& path, int error, const char* advice) {
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": ", std::generic_category().message(error), "; ", advice));
}

absl::Status MakeDirectory(const std::string& path) {
  if (mkdir(path.c_str(), kOwnerOnly) == 0) {
    SyncDirectory(absl::StrCat(path, "/.."));
    return absl::OkStatus();
  }
  if (errno == EEXIST) return absl::OkStatus();
  return Unusable(path, errno,
                  "--data_dir must be a directory that the server may write, or "
                  "that it can make in one that is there");
}

constexpr const char* kOwnerAdvice =
    "the server must own what is in --data_dir and be able to "
    "write there";

// Opens a file for its owner alone, whatever it was before, and never the target of a link.
Descriptor OpenOwnersFile(const std::string& path) {
  Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, kOwnersFile));
  if (file.is_open()) fchmod(file.number(), kOwnersFile);
  return file;
}

// Returns the path of a file whose existence says that the database was set up.
std::string MarkPath(const std::string& data_dir) { return absl::StrCat(data_dir, "/used"); }

bool IsEmpty(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) != 0 || status.st_size == 0;
}

}  // namespace

std::string DatabasePath(const std::string& data_dir) {
  return absl::StrCat(data_dir, "/shapes.sqlite");
}

void SyncDirectory(const std::string& path) {
  const Descriptor directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.is_open()) fsync(directory.number());
}

absl::StatusOr<DataDirectory> DataDirectory::Open(const std::string& path) {
  if (absl::Status status = MakeDirectory(path); !status.ok()) return status;
  // The files may be writable although the directory is not. Then the log could not be made beside
  // them.
  if (faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0)
    return Unusable(path, errno, kOwnerAdvice);
  const std::string database_path = DatabasePath(path);
  if (IsEmpty(database_path) && access(MarkPath(path).c_str(), F_OK) == 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(database_path,
                     " is empty or gone, and was not when a server last used it; restore a backup, "
                     "or remove ",
                     MarkPath(path), " to start empty"));
  }
  Descriptor database = OpenOwnersFile(database_path);
  if (!database.is_open()) return Unusable(database_path, errno, kOwnerAdvice);
  DataDirectory directory(path, std::move(database));
  if (flock(directory.database_.number(), LOCK_EX | LOCK_NB) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, " is in use by another server; give each its own --data_dir"));
  }
  SyncDirectory(path);
  return directory;
}

absl::Status DataDirectory::MarkUsed() const {
  if (!OpenOwnersFile(MarkPath(path_)).is_open())
    return Unusable(MarkPath(path_), errno, kOwnerAdvice);
  SyncDirectory(path_);
  return absl::OkStatus();
}

bool DataDirectory::is_open_to_others() const {
  struct stat status {};
  return stat(path_.c_str(), &status) == 0 && (status.st_mode & kOthers) != 0;
}

}  // namespace clearance::server
