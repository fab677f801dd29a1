// SPDX-License-Identifier: Apache-2.0
//
// Shapes and scenes in an SQLite database with a write-ahead log, synced at every commit.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/storage/shape_store.h"
#include "server/storage/sqlite.h"

namespace clearance::server {

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

// Returns the status with the file's path and advice.
absl::Status WithAdvice(const std::string& path, const absl::Status& status);

}  // namespace clearance::server
