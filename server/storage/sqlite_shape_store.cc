// SPDX-License-Identifier: Apache-2.0

#include "server/storage/sqlite_shape_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "server/storage/body_codec.h"
#include "server/storage/data_directory.h"

namespace clearance::server {
namespace {

constexpr std::int64_t kApplicationId = 0x636c726e;  // "clrn"

// Return the checksum of a row, over all its columns.
std::string RowChecksum(const StoredContent& content) {
  return ChecksumOf({content.digest, content.shape, content.body});
}

std::string RowChecksum(const StoredName& name) {
  return ChecksumOf({name.name, name.digest, absl::StrCat(name.revision), name.owner});
}

std::string RowChecksum(const SceneRecord& record) {
  const std::string numbers =
      absl::StrCat(record.incarnation, " ", record.revision, " ", record.is_whole);
  if (record.owner.empty()) return ChecksumOf({record.name, numbers, record.change});
  return ChecksumOf({record.name, numbers, record.change, record.owner});
}

std::string RowChecksum(std::uint64_t revision) { return ChecksumOf({absl::StrCat(revision)}); }

// Gives the rows of version 3 their checksums. They are taken as they are.
absl::Status FillChecksums(Database* database) {
  std::vector<StoredName> names;
  absl::Status status = database->ForEachRow(
      "SELECT name, digest, revision, owner FROM names", [&](const Statement& row) {
        names.push_back({row.Text(0), row.Text(1), row.Number(2), row.Text(3)});
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  auto put_name = database->Prepare("UPDATE names SET checksum = ? WHERE name = ?");
  if (!put_name.ok()) return put_name.status();
  for (const StoredName& name : names) {
    if (status.ok()) status = put_name->Run(SqlBlob{RowChecksum(name)}, name.name);
  }
  if (!status.ok()) return status;
  const auto revision = database->QueryNumber("SELECT revision FROM registry");
  if (!revision.ok()) return revision.status();
  auto put_revision = database->Prepare("UPDATE registry SET checksum = ?");
  if (!put_revision.ok()) return put_revision.status();
  return put_revision->Run(SqlBlob{RowChecksum(static_cast<std::uint64_t>(*revision))});
}

struct Migration {
  const char* sql;
  absl::Status (*after)(Database*) = nullptr;
};
// kMigrations[v] leads from version v to v + 1, inside a transaction.
constexpr std::array<Migration, kSchemaVersion> kMigrations = {{
    // From an empty file. Digests are unique so that no content is ever stored twice.
    {"CREATE TABLE contents (id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE,"
     "  shape BLOB NOT NULL, body BLOB NOT NULL, checksum BLOB NOT NULL) STRICT;"
     "CREATE TABLE names (name TEXT PRIMARY KEY, digest TEXT NOT NULL,"
     "  revision INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
     "CREATE TABLE registry (id INTEGER PRIMARY KEY CHECK (id = 0),"
     "  revision INTEGER NOT NULL, trials INTEGER NOT NULL) STRICT;"
     "INSERT INTO registry VALUES (0, 0, 0);"},
    // A scene consists of its records and has no own row.
    {"CREATE TABLE scene_records (id INTEGER PRIMARY KEY, name TEXT NOT NULL,"
     "  incarnation INTEGER NOT NULL, revision INTEGER NOT NULL, is_whole INTEGER NOT NULL,"
     "  change BLOB NOT NULL, checksum BLOB NOT NULL, UNIQUE (name, revision)) STRICT;"},
    // Earlier entries have no owner and count for no principal.
    {"ALTER TABLE names ADD COLUMN owner TEXT NOT NULL DEFAULT '';"
     "ALTER TABLE scene_records ADD COLUMN owner TEXT NOT NULL DEFAULT '';"},
    // Version 3 had checksums only of contents and scenes.
    {"ALTER TABLE names ADD COLUMN checksum BLOB NOT NULL DEFAULT x'';"
     "ALTER TABLE registry ADD COLUMN checksum BLOB NOT NULL DEFAULT x'';",
     FillChecksums},
}};

// Checks the kind of the file and writes nothing. An empty file passes.
absl::Status CheckKind(Database* database) {
  const auto application = database->QueryNumber("PRAGMA application_id");
  if (!application.ok()) return application.status();
  const auto version = database->QueryNumber("PRAGMA user_version");
  if (!version.ok()) return version.status();
  const auto tables = database->QueryNumber("SELECT count(*) FROM sqlite_master");
  if (!tables.ok()) return tables.status();
  if (*application == kApplicationId && *version > kSchemaVersion) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the file has version ", *version, " and this server knows versions up to ", kSchemaVersion,
        "; run a server that is as new as the one that wrote it, or restore an older backup"));
  }
  const bool is_ours = *application == kApplicationId && *version > 0;
  const bool is_empty = *application == 0 && *version == 0 && *tables == 0;
  if (is_ours || is_empty) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "the file is another program's database; choose another --data_dir, or move the file away");
}

// Sets up an empty file and migrates an older one. Requires: CheckKind returns OK.
absl::Status PrepareSchema(Database* database) {
  const auto version = database->QueryNumber("PRAGMA user_version");
  if (!version.ok()) return version.status();
  if (*version == kSchemaVersion) return absl::OkStatus();
  absl::Status status = database->Execute("BEGIN IMMEDIATE");
  for (auto from = static_cast<std::size_t>(*version); from < kMigrations.size(); ++from) {
    const Migration& migration = kMigrations[from];
    if (status.ok()) status = database->Execute(migration.sql);
    if (status.ok() && migration.after != nullptr) status = migration.after(database);
  }
  if (!status.ok()) return status;
  return database->Execute(absl::StrCat("PRAGMA application_id = ", kApplicationId,
                                        "; PRAGMA user_version = ", kSchemaVersion, "; COMMIT"));
}

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

absl::Status SetUp(Database* database) {
  // Checked before anything is written into a file that may be another program's.
  if (absl::Status status = CheckKind(database); !status.ok()) return status;
  if (absl::Status status = database->Execute(kSettings); !status.ok()) return status;
  if (absl::Status status = PrepareSchema(database); !status.ok()) return status;
  return database->Check("PRAGMA quick_check(1)");
}

// The statements that write, each at its number.
enum Sql : std::size_t {
  kAddContent,
  kDropContent,
  kPutName,
  kDropName,
  kSetRevision,
  kDropRecords,
  kAddRecord
};
constexpr const char* kSql[] = {
    "INSERT INTO contents (digest, shape, body, checksum) VALUES (?, ?, ?, ?)",
    "DELETE FROM contents WHERE digest = ?",
    R"(INSERT INTO names (name, digest, revision, owner, checksum) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET digest = excluded.digest,
                                        revision = excluded.revision,
                                        owner = excluded.owner,
                                        checksum = excluded.checksum)",
    "DELETE FROM names WHERE name = ?",
    "UPDATE registry SET revision = ?, checksum = ?",
    "DELETE FROM scene_records WHERE name = ?",
    R"(INSERT INTO scene_records
         (name, incarnation, revision, is_whole, change, owner, checksum)
       VALUES (?, ?, ?, ?, ?, ?, ?))"};

std::uint64_t FileSize(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

// Returns the status with the file's path and advice.
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
  constexpr mode_t kOwnerOnlyFile = 0600;
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kOwnerOnlyFile);
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

absl::StatusOr<std::unique_ptr<SqliteShapeStore>> SqliteShapeStore::Open(const std::string& path,
                                                                         const char* vfs) {
  absl::StatusOr<Database> database = Database::Open(path, OpenMode::kCreate, vfs);
  if (!database.ok()) return WithAdvice(path, database.status());
  if (absl::Status status = SetUp(&*database); !status.ok()) return WithAdvice(path, status);
  std::vector<Statement> statements;
  for (const char* const sql : kSql) {
    absl::StatusOr<Statement> statement = database->Prepare(sql);
    if (!statement.ok()) return WithAdvice(path, statement.status());
    statements.push_back(*std::move(statement));
  }
  std::unique_ptr<SqliteShapeStore> store(
      new SqliteShapeStore(path, vfs, *std::move(database), std::move(statements)));
  // If this fails, for example on a full disk, the shapes can still be read; commits try it again.
  store->FoldLog().IgnoreError();
  return store;
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
  return stat(path.c_str(), &status) == 0 ? File(status.st_dev, status.st_ino) : File();
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

// Nothing follows a failure: it may have ended the transaction, and later statements would then be
// committed separately.
absl::Status SqliteShapeStore::Write(const RegistryChanges& changes) {
  absl::Status status;
  for (const std::string& digest : changes.dropped) {
    if (status.ok()) status = statements_[kDropContent].Run(digest);
  }
  for (const ShapeContentPtr& content : changes.added) {
    if (status.ok()) status = AddContent(*content);
  }
  for (const NamedShape& name : changes.names) {
    if (status.ok()) status = PutName(name);
  }
  for (const SceneRecord& record : changes.scenes) {
    if (status.ok()) status = PutScene(record);
  }
  if (!status.ok()) return status;
  return statements_[kSetRevision].Run(changes.revision, SqlBlob{RowChecksum(changes.revision)});
}

absl::Status SqliteShapeStore::AddContent(const ShapeContent& content) {
  const StoredContent row = {content.digest, content.serialized, EncodeBody(*content.body)};
  return statements_[kAddContent].Run(row.digest, SqlBlob{row.shape}, SqlBlob{row.body},
                                      SqlBlob{RowChecksum(row)});
}

absl::Status SqliteShapeStore::PutName(const NamedShape& name) {
  if (name.content == nullptr) return statements_[kDropName].Run(name.name);
  const StoredName row = {name.name, name.content->digest, name.revision, name.owner};
  return statements_[kPutName].Run(row.name, row.digest, row.revision, row.owner,
                                   SqlBlob{RowChecksum(row)});
}

absl::Status SqliteShapeStore::PutScene(const SceneRecord& record) {
  absl::Status status;
  if (record.is_whole || record.revision == 0) status = statements_[kDropRecords].Run(record.name);
  if (!status.ok() || record.revision == 0) return status;
  return statements_[kAddRecord].Run(record.name, record.incarnation, record.revision,
                                     std::uint64_t{record.is_whole}, SqlBlob{record.change},
                                     record.owner, SqlBlob{RowChecksum(record)});
}

absl::StatusOr<StoredNames> SqliteShapeStore::ReadNames() {
  StoredNames stored;
  bool has_revision = false;
  absl::Status status =
      database_.ForEachRow("SELECT revision, checksum FROM registry", [&](const Statement& row) {
        stored.revision = row.Number(0);
        has_revision = row.Bytes(1) == RowChecksum(stored.revision);
        return absl::OkStatus();
      });
  if (status.ok() && !has_revision)
    status = absl::DataLossError("the registry's revision is not as it was written");
  constexpr char kNames[] = "SELECT name, digest, revision, owner, checksum FROM names";
  const auto add_name = [&](const Statement& row) {
    stored.names.push_back({row.Text(0), row.Text(1), row.Number(2), row.Text(3)});
    if (row.Bytes(4) == RowChecksum(stored.names.back())) return absl::OkStatus();
    return absl::DataLossError(absl::StrCat("the row of the name '", absl::CHexEscape(row.Bytes(0)),
                                            "' is not as it was written"));
  };
  if (status.ok()) status = database_.ForEachRow(kNames, add_name);
  if (!status.ok()) return WithAdvice(path_, status);
  return stored;
}

// Parts are ranges of ids. Deletions leave gaps: parts of about the same size are good enough.
absl::Status SqliteShapeStore::ReadContents(const Part& part, const Visit& visit) const {
  absl::StatusOr<Database> database = Database::Open(path_, OpenMode::kReadOnly, vfs_);
  if (!database.ok()) return WithAdvice(path_, database.status());
  const auto last = database->QueryNumber("SELECT max(id) FROM contents");
  if (!last.ok()) return WithAdvice(path_, last.status());
  const std::uint64_t ids = static_cast<std::uint64_t>(*last) / part.parts + 1;
  const std::string sql =
      absl::StrCat("SELECT digest, shape, body, checksum FROM contents WHERE id > ",
                   part.part * ids, " AND id <= ", (part.part + 1) * ids);
  return WithAdvice(path_, database->ForEachRow(sql, [&](const Statement& row) {
    const StoredContent content = {row.Text(0), row.Text(1), row.Text(2)};
    return row.Bytes(3) == RowChecksum(content)
               ? visit(content)
               : absl::DataLossError("a content is not as it was written");
  }));
}

absl::Status SqliteShapeStore::ReadScenes(const VisitRecord& visit) {
  constexpr char kRecords[] =
      R"(SELECT name, incarnation, revision, is_whole, owner, change, checksum FROM scene_records
         ORDER BY name, revision)";
  return WithAdvice(path_, database_.ForEachRow(kRecords, [&](const Statement& row) {
    SceneRecord record = {.name = row.Text(0),
                          .incarnation = row.Number(1),
                          .revision = row.Number(2),
                          .is_whole = row.Number(3) != 0,
                          .owner = row.Text(4),
                          .change = row.Text(5)};
    return row.Bytes(6) == RowChecksum(record)
               ? visit(std::move(record))
               : absl::DataLossError("a scene's record is not as it was written");
  }));
}

std::uint64_t SqliteShapeStore::byte_size() const {
  return FileSize(path_) + FileSize(path_ + "-wal");
}

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
