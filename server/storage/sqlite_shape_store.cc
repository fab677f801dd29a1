// SPDX-License-Identifier: Apache-2.0

#include "server/storage/sqlite_shape_store.h"

#include <sys/stat.h>

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "server/storage/body_codec.h"
#include "server/storage/checksum.h"
#include "server/storage/schema.h"

namespace clearance::server {
namespace {

// The log is folded into the database every 16 MiB, by the thread that commits. Code that a damaged
// or doctored schema could make SQLite run is disabled.
constexpr const char* kSettings =
    "PRAGMA trusted_schema = OFF;"
    "PRAGMA cell_size_check = ON;"
    "PRAGMA journal_mode = WAL;"
    "PRAGMA synchronous = FULL;"
    "PRAGMA wal_autocheckpoint = 4096;"
    "PRAGMA journal_size_limit = 67108864;"
    "PRAGMA temp_store = MEMORY;";

absl::Status CheckWhole(Database* database) {
  const absl::StatusOr<std::string> verdict = database->QueryText("PRAGMA quick_check(1)");
  if (!verdict.ok()) return verdict.status();
  if (*verdict == "ok") return absl::OkStatus();
  return absl::DataLossError(*verdict);
}

absl::Status SetUp(Database* database) {
  // Checked before anything is written into a file that may be another program's.
  if (absl::Status status = CheckKind(database); !status.ok()) return status;
  if (absl::Status status = database->Execute(kSettings); !status.ok()) return status;
  if (absl::Status status = PrepareSchema(database); !status.ok()) return status;
  return CheckWhole(database);
}

std::uint64_t FileSize(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

}  // namespace

absl::Status WithAdvice(const std::string& path, const absl::Status& status) {
  if (status.ok()) return status;
  const char* advice = "";
  if (status.code() == absl::StatusCode::kDataLoss) {
    advice =
        "; the file is damaged: restore a backup, or move the file and those beside it away to "
        "start empty";
  }
  return absl::Status(status.code(), absl::StrCat(path, ": ", status.message(), advice));
}

absl::StatusOr<std::unique_ptr<SqliteShapeStore>> SqliteShapeStore::Open(const std::string& path,
                                                                         const char* vfs) {
  absl::StatusOr<Database> database = Database::Open(path, OpenMode::kCreate, vfs);
  if (!database.ok()) return WithAdvice(path, database.status());
  if (absl::Status status = SetUp(&*database); !status.ok()) return WithAdvice(path, status);
  absl::StatusOr<Statements> statements = Prepare(&*database);
  if (!statements.ok()) return WithAdvice(path, statements.status());
  std::unique_ptr<SqliteShapeStore> store(
      new SqliteShapeStore(path, vfs, *std::move(database), *std::move(statements)));
  // If this fails, for example on a full disk, the shapes can still be read; commits try it again.
  store->FoldLog().IgnoreError();
  return store;
}

absl::StatusOr<SqliteShapeStore::Statements> SqliteShapeStore::Prepare(Database* database) {
  std::vector<Statement> prepared;
  for (const char* const sql :
       {"INSERT INTO contents (digest, shape, body, checksum) VALUES (?, ?, ?, ?)",
        "DELETE FROM contents WHERE digest = ?",
        R"(INSERT INTO names (name, digest, revision, owner, checksum) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (name) DO UPDATE SET digest = excluded.digest,
                                            revision = excluded.revision,
                                            owner = excluded.owner,
                                            checksum = excluded.checksum)",
        "DELETE FROM names WHERE name = ?", "UPDATE registry SET revision = ?, checksum = ?",
        "DELETE FROM scene_records WHERE name = ?",
        R"(INSERT INTO scene_records
             (name, incarnation, revision, is_whole, change, owner, checksum)
           VALUES (?, ?, ?, ?, ?, ?, ?))"}) {
    absl::StatusOr<Statement> statement = database->Prepare(sql);
    if (!statement.ok()) return statement.status();
    prepared.push_back(*std::move(statement));
  }
  return Statements{std::move(prepared[0]), std::move(prepared[1]), std::move(prepared[2]),
                    std::move(prepared[3]), std::move(prepared[4]), std::move(prepared[5]),
                    std::move(prepared[6])};
}

absl::Status SqliteShapeStore::Commit(const RegistryChanges& changes) {
  return WithTransaction([&] { return Write(changes); });
}

absl::Status SqliteShapeStore::Probe() {
  return WithTransaction(
      [&] { return database_.Execute("UPDATE registry SET trials = trials + 1"); });
}

// The content of the log may be in the system's memory alone. If an earlier process ended after a
// failed sync, no later sync of the log would write it. Copying it into the database writes it
// again, and syncs it.
absl::Status SqliteShapeStore::FoldLog() {
  if (is_log_folded_) return absl::OkStatus();
  sqlite3* const handle = database_.handle();
  // A backup that began before this server reads the log until its end, which may be far off. Then
  // registrations are refused immediately instead of after seconds.
  database_.SetWaiting(false);
  const int result =
      sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  database_.SetWaiting(true);
  is_log_folded_ = result == SQLITE_OK;
  return SqliteStatus(handle, result);
}

SqliteShapeStore::File SqliteShapeStore::FileOf(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

absl::Status SqliteShapeStore::RequireInPlace() const {
  if (vfs_ != nullptr || FileOf(path_) == file_) return absl::OkStatus();
  return absl::UnavailableError(
      "the file was removed or replaced while the server used it; put it back or start the server "
      "again");
}

// A failed COMMIT leaves the transaction open; other failures may have ended it.
absl::Status SqliteShapeStore::WithTransaction(const std::function<absl::Status()>& write) {
  absl::Status status = FoldLog();
  if (status.ok()) status = database_.Execute("BEGIN IMMEDIATE");
  if (status.ok()) status = write();
  if (status.ok()) status = RequireInPlace();
  if (status.ok()) status = database_.Execute("COMMIT");
  if (!status.ok() && database_.is_in_transaction()) database_.Execute("ROLLBACK").IgnoreError();
  return WithAdvice(path_, status);
}

absl::Status SqliteShapeStore::Write(const RegistryChanges& changes) {
  absl::Status status;
  // Nothing follows a failure: it may have ended the transaction, and later statements would then
  // be committed separately.
  for (const std::string& digest : changes.dropped) {
    if (!status.ok()) break;
    statements_.drop_content.BindText(1, digest);
    status = statements_.drop_content.Run();
  }
  for (const ShapeContentPtr& content : changes.added) {
    if (status.ok()) status.Update(AddContent(*content));
  }
  for (const NamedShape& name : changes.names) {
    if (status.ok()) status.Update(PutName(name));
  }
  for (const SceneRecord& record : changes.scenes) {
    if (status.ok()) status.Update(PutScene(record));
  }
  if (!status.ok()) return status;
  const std::string checksum = RowChecksum(changes.revision);
  statements_.set_revision.BindNumber(1, static_cast<std::int64_t>(changes.revision));
  statements_.set_revision.BindBlob(2, checksum);
  return statements_.set_revision.Run();
}

absl::Status SqliteShapeStore::AddContent(const ShapeContent& content) {
  const std::string body = EncodeBody(*content.body);
  const std::string checksum = RowChecksum(StoredContent{content.digest, content.serialized, body});
  Statement& statement = statements_.add_content;
  statement.BindText(1, content.digest);
  statement.BindBlob(2, content.serialized);
  statement.BindBlob(3, body);
  statement.BindBlob(4, checksum);
  return statement.Run();
}

absl::Status SqliteShapeStore::PutName(const NamedShape& name) {
  if (name.content == nullptr) {
    statements_.drop_name.BindText(1, name.name);
    return statements_.drop_name.Run();
  }
  const std::string checksum =
      RowChecksum(StoredName{name.name, name.content->digest, name.revision, name.owner});
  statements_.put_name.BindText(1, name.name);
  statements_.put_name.BindText(2, name.content->digest);
  statements_.put_name.BindNumber(3, static_cast<std::int64_t>(name.revision));
  statements_.put_name.BindText(4, name.owner);
  statements_.put_name.BindBlob(5, checksum);
  return statements_.put_name.Run();
}

absl::Status SqliteShapeStore::PutScene(const SceneRecord& record) {
  if (record.is_whole || record.revision == 0) {
    statements_.drop_records.BindText(1, record.name);
    if (absl::Status status = statements_.drop_records.Run(); !status.ok()) return status;
  }
  if (record.revision == 0) return absl::OkStatus();
  const std::string checksum = RowChecksum(record);
  Statement& statement = statements_.add_record;
  statement.BindText(1, record.name);
  statement.BindNumber(2, static_cast<std::int64_t>(record.incarnation));
  statement.BindNumber(3, static_cast<std::int64_t>(record.revision));
  statement.BindNumber(4, record.is_whole ? 1 : 0);
  statement.BindBlob(5, record.change);
  statement.BindText(6, record.owner);
  statement.BindBlob(7, checksum);
  return statement.Run();
}

absl::StatusOr<std::uint64_t> SqliteShapeStore::ReadRevision() {
  absl::StatusOr<Statement> registry = database_.Prepare("SELECT revision, checksum FROM registry");
  if (!registry.ok()) return registry.status();
  const absl::StatusOr<bool> row = registry->Step();
  if (!row.ok()) return row.status();
  const auto revision = *row ? static_cast<std::uint64_t>(registry->Number(0)) : 0;
  if (*row && registry->Bytes(1) == RowChecksum(revision)) return revision;
  return absl::DataLossError("the registry's revision is not as it was written");
}

absl::StatusOr<StoredNames> SqliteShapeStore::ReadNames() {
  StoredNames stored;
  const auto revision = ReadRevision();
  if (!revision.ok()) return WithAdvice(path_, revision.status());
  stored.revision = *revision;
  absl::StatusOr<Statement> names =
      database_.Prepare("SELECT name, digest, revision, owner, checksum FROM names");
  if (!names.ok()) return WithAdvice(path_, names.status());
  while (true) {
    const absl::StatusOr<bool> row = names->Step();
    if (!row.ok()) return WithAdvice(path_, row.status());
    if (!*row) return stored;
    stored.names.push_back({std::string(names->Bytes(0)), std::string(names->Bytes(1)),
                            static_cast<std::uint64_t>(names->Number(2)),
                            std::string(names->Bytes(3))});
    if (names->Bytes(4) != RowChecksum(stored.names.back())) {
      return WithAdvice(path_, absl::DataLossError(absl::StrCat("the row of the name '",
                                                                absl::CHexEscape(names->Bytes(0)),
                                                                "' is not as it was written")));
    }
  }
}

// Parts are ranges of ids. Deletions leave gaps: parts of about the same size are good enough.
absl::Status SqliteShapeStore::ReadContents(const Part& part, const Visit& visit) const {
  absl::StatusOr<Database> database = Database::Open(path_, OpenMode::kReadOnly, vfs_);
  if (!database.ok()) return WithAdvice(path_, database.status());
  const auto last = database->QueryNumber("SELECT max(id) FROM contents");
  if (!last.ok()) return WithAdvice(path_, last.status());
  absl::StatusOr<Statement> rows = database->Prepare(
      "SELECT digest, shape, body, checksum FROM contents WHERE id > ? AND id <= ?");
  if (!rows.ok()) return WithAdvice(path_, rows.status());
  const std::uint64_t ids = static_cast<std::uint64_t>(*last) / part.parts + 1;
  rows->BindNumber(1, static_cast<std::int64_t>(part.part * ids));
  rows->BindNumber(2, static_cast<std::int64_t>((part.part + 1) * ids));
  while (true) {
    const absl::StatusOr<bool> row = rows->Step();
    if (!row.ok()) return WithAdvice(path_, row.status());
    if (!*row) return absl::OkStatus();
    const StoredContent content = {rows->Bytes(0), rows->Bytes(1), rows->Bytes(2)};
    absl::Status status = rows->Bytes(3) == RowChecksum(content)
                              ? visit(content)
                              : absl::DataLossError("a content is not as it was written");
    if (!status.ok()) return WithAdvice(path_, status);
  }
}

absl::Status SqliteShapeStore::ReadScenes(const VisitRecord& visit) {
  absl::StatusOr<Statement> rows = database_.Prepare(
      R"(SELECT name, incarnation, revision, is_whole, owner, change, checksum FROM scene_records
         ORDER BY name, revision)");
  if (!rows.ok()) return WithAdvice(path_, rows.status());
  while (true) {
    const absl::StatusOr<bool> row = rows->Step();
    if (!row.ok()) return WithAdvice(path_, row.status());
    if (!*row) return absl::OkStatus();
    SceneRecord record = {.name = std::string(rows->Bytes(0)),
                          .incarnation = static_cast<std::uint64_t>(rows->Number(1)),
                          .revision = static_cast<std::uint64_t>(rows->Number(2)),
                          .is_whole = rows->Number(3) != 0,
                          .owner = std::string(rows->Bytes(4)),
                          .change = std::string(rows->Bytes(5))};
    const bool is_as_written = rows->Bytes(6) == RowChecksum(record);
    absl::Status status = is_as_written
                              ? visit(std::move(record))
                              : absl::DataLossError("a scene's record is not as it was written");
    if (!status.ok()) return WithAdvice(path_, status);
  }
}

std::uint64_t SqliteShapeStore::byte_size() const {
  return FileSize(path_) + FileSize(path_ + "-wal");
}

}  // namespace clearance::server
