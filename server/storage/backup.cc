// SPDX-License-Identifier: Apache-2.0

#include "server/storage/backup.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "server/storage/data_directory.h"
#include "server/storage/schema.h"
#include "server/storage/sqlite.h"
#include "server/storage/sqlite_shape_store.h"

namespace clearance::server {
namespace {

// Copies in one read transaction from the first page to the last. Writers go on, and their changes
// meanwhile are not in the copy.
absl::Status CopyPages(Database* from, Database* to) {
  sqlite3_backup* const copying = sqlite3_backup_init(to->handle(), "main", from->handle(), "main");
  if (copying == nullptr) return SqliteStatus(to->handle(), sqlite3_errcode(to->handle()));
  constexpr int kAllPages = -1;
  const int stepped = sqlite3_backup_step(copying, kAllPages);
  const int finished = sqlite3_backup_finish(copying);
  return SqliteStatus(to->handle(), stepped == SQLITE_DONE ? finished : stepped);
}

// Makes one file that is on disk when this returns: no log stands beside it.
absl::Status CopyInto(const std::string& file, Database* from) {
  absl::StatusOr<Database> to = Database::Open(file, OpenMode::kReadWrite);
  if (!to.ok()) return to.status();
  absl::Status status = CopyPages(from, &*to);
  if (status.ok()) status = to->Execute("PRAGMA journal_mode = DELETE");
  return status.ok() ? to->Check("PRAGMA integrity_check(1)") : status;
}

absl::Status MakeOwnersFile(const std::string& path) {
  constexpr mode_t kOwnersFile = 0600;
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kOwnersFile);
  if (file >= 0) {
    close(file);
    return absl::OkStatus();
  }
  const char* const advice =
      errno == EEXIST ? "; another backup is making it, or was cut off: then remove it" : "";
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": ", std::generic_category().message(errno), advice));
}

// Gives the copy its name, unless a file has that name by now.
absl::Status Publish(const std::string& copy, const std::string& file) {
  if (link(copy.c_str(), file.c_str()) == 0) {
    const std::string directory = std::filesystem::path(file).parent_path();
    SyncDirectory(directory.empty() ? "." : directory);
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      file, ": ", std::generic_category().message(errno), "; a backup needs a new name"));
}

}  // namespace

absl::Status BackUp(const std::string& data_dir, const std::string& file) {
  const std::string path = DatabasePath(data_dir);
  absl::StatusOr<Database> from = Database::Open(path, OpenMode::kReadOnly);
  if (!from.ok()) return WithAdvice(path, from.status());
  if (absl::Status status = CheckKind(&*from); !status.ok()) return WithAdvice(path, status);
  const std::string copy = file + ".partial";
  if (absl::Status status = MakeOwnersFile(copy); !status.ok()) return status;
  absl::Status status = WithAdvice(copy, CopyInto(copy, &*from));
  if (status.ok()) status = Publish(copy, file);
  std::error_code ignored;
  std::filesystem::remove(copy, ignored);
  return status;
}

}  // namespace clearance::server
