// SPDX-License-Identifier: Apache-2.0
//
// Shapes and scenes in an SQLite database with a write-ahead log, synced at every commit.
//
// A file is identified as ours by SQLite's application_id, and the version of its tables by
// user_version. Older versions are migrated. The tables:
//
//     contents  id, digest, shape (clearance.v1.Shape as it was given), body
//               (body_codec.h), checksum (SHA-256 over the three)
//     names     name, digest (of a content), revision (at which the name took it), owner (the id of
//               the principal who gave it the content; empty: none), checksum (SHA-256 over
//               all of these)
//     scene_records  name (of a scene), incarnation (which tells it from others of the name),
//               revision, is_whole (1 of the first one, which is the whole scene; 0 of the
//               change that made each later revision), change (clearance.v1.SceneChange),
//               owner (the id of the principal who made the scene; empty: none), checksum
//               (SHA-256 over all of these; rows of version 2, without an owner, keep theirs)
//     registry  one row: the revision, which outlives a deletion; checksum (SHA-256 over it);
//               trials, incremented to have something to write
//
// Every content has a name: the last name takes its content along.

#pragma once

#include <sys/types.h>

#include "server/storage/shape_store.h"
#include "server/storage/sqlite.h"

namespace clearance::server {

inline constexpr std::int64_t kSchemaVersion = 4;

class SqliteShapeStore final : public ShapeStore {
 public:
  // Opens the database, makes its tables if it is empty, and checks all of it. Fails, naming the
  // file and advice, with DATA_LOSS if it is damaged, FAILED_PRECONDITION if it is another
  // program's, a newer server's or may not be written, otherwise UNAVAILABLE. `vfs` as of
  // Database::Open.
  static absl::StatusOr<std::unique_ptr<SqliteShapeStore>> Open(const std::string& path,
                                                                const char* vfs = nullptr);

  absl::Status Commit(const RegistryChanges& changes) override;
  absl::Status Probe() override;
  absl::StatusOr<StoredNames> ReadNames() override;
  absl::Status ReadContents(const Part& part, const Visit& visit) const override;
  absl::Status ReadScenes(const VisitRecord& visit) override;
  std::uint64_t byte_size() const override;

 private:
  SqliteShapeStore(std::string path, const char* vfs, Database database,
                   std::vector<Statement> statements)
      : path_(std::move(path)),
        vfs_(vfs),
        file_(FileOf(path_)),
        database_(std::move(database)),
        statements_(std::move(statements)) {}

  // The file that has the name; 0 and 0 for none.
  using File = std::pair<dev_t, ino_t>;
  static File FileOf(const std::string& path);

  // Requires: inside a transaction.
  absl::Status Write(const RegistryChanges& changes);
  absl::Status AddContent(const ShapeContent& content);
  absl::Status PutName(const NamedShape& name);
  absl::Status PutScene(const SceneRecord& record);
  // Makes the log durable that existed when the store was opened; returns immediately if that is
  // done.
  absl::Status FoldLog();
  absl::Status WithTransaction(const std::function<absl::Status()>& write);
  // UNAVAILABLE if the open file no longer has that name: writes to it would be lost.
  absl::Status RequireInPlace() const;

  const std::string path_;
  const char* const vfs_;
  const File file_;
  Database database_;
  std::vector<Statement> statements_;  // that write
  bool is_log_folded_ = false;
};

// Copies the shapes and scenes, as of one moment, into a new file for its owner alone, while a
// server may be writing them. Checks the copy before it gets its name: a file of that name is
// complete. To restore it, put it in an empty directory as DatabasePath says. FAILED_PRECONDITION
// if the file exists already or the directory has no database; otherwise as SqliteShapeStore::Open.
absl::Status BackUp(const std::string& data_dir, const std::string& file);

}  // namespace clearance::server
