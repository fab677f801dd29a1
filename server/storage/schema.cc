// SPDX-License-Identifier: Apache-2.0

#include "server/storage/schema.h"

#include <array>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/storage/checksum.h"
#include "server/storage/shape_store.h"

namespace clearance::server {
namespace {

// From version 0, an empty file. Digests are unique so that no content is ever stored twice.
absl::Status MakeTables(Database* database) {
  return database->Execute(
      absl::StrCat("PRAGMA application_id = ", kApplicationId,
                   ";"
                   "CREATE TABLE contents (id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE,"
                   "  shape BLOB NOT NULL, body BLOB NOT NULL, checksum BLOB NOT NULL) STRICT;"
                   "CREATE TABLE names (name TEXT PRIMARY KEY, digest TEXT NOT NULL,"
                   "  revision INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
                   "CREATE TABLE registry (id INTEGER PRIMARY KEY CHECK (id = 0),"
                   "  revision INTEGER NOT NULL, trials INTEGER NOT NULL) STRICT;"
                   "INSERT INTO registry VALUES (0, 0, 0);"));
}

// From version 1. A scene consists of its records and has no own row.
absl::Status MakeSceneTables(Database* database) {
  return database->Execute(
      "CREATE TABLE scene_records (id INTEGER PRIMARY KEY, name TEXT NOT NULL,"
      "  incarnation INTEGER NOT NULL, revision INTEGER NOT NULL, is_whole INTEGER NOT NULL,"
      "  change BLOB NOT NULL, checksum BLOB NOT NULL, UNIQUE (name, revision)) STRICT;");
}

// From version 2. Earlier entries have no owner and count for no principal.
absl::Status AddOwners(Database* database) {
  return database->Execute(
      "ALTER TABLE names ADD COLUMN owner TEXT NOT NULL DEFAULT '';"
      "ALTER TABLE scene_records ADD COLUMN owner TEXT NOT NULL DEFAULT '';");
}

absl::Status AddNameChecksums(Database* database) {
  std::vector<StoredName> names;
  absl::Status status = database->ForEachRow(
      "SELECT name, digest, revision, owner FROM names", [&](const Statement& row) {
        names.push_back({row.Text(0), row.Text(1), row.Number(2), row.Text(3)});
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  absl::StatusOr<Statement> update =
      database->Prepare("UPDATE names SET checksum = ? WHERE name = ?");
  status = update.status();
  for (const StoredName& name : names) {
    if (status.ok()) status = update->Run(SqlBlob{RowChecksum(name)}, name.name);
  }
  return status;
}

absl::Status AddRevisionChecksum(Database* database) {
  const auto revision = database->QueryNumber("SELECT revision FROM registry");
  if (!revision.ok()) return revision.status();
  absl::StatusOr<Statement> update = database->Prepare("UPDATE registry SET checksum = ?");
  if (!update.ok()) return update.status();
  return update->Run(SqlBlob{RowChecksum(static_cast<std::uint64_t>(*revision))});
}

// From version 3, which had checksums only of contents and scenes. Its rows are taken as they are.
absl::Status AddChecksums(Database* database) {
  absl::Status status = database->Execute(
      "ALTER TABLE names ADD COLUMN checksum BLOB NOT NULL DEFAULT x'';"
      "ALTER TABLE registry ADD COLUMN checksum BLOB NOT NULL DEFAULT x'';");
  if (status.ok()) status = AddNameChecksums(database);
  if (status.ok()) status = AddRevisionChecksum(database);
  return status;
}

// kMigrations[v] leads from version v to v + 1, inside a transaction.
using Migration = absl::Status (*)(Database*);
constexpr std::array<Migration, kSchemaVersion> kMigrations = {MakeTables, MakeSceneTables,
                                                               AddOwners, AddChecksums};

absl::Status Foreign() {
  return absl::FailedPreconditionError(
      "the file is another program's database; choose another --data_dir, or move the file away");
}

absl::Status Newer(std::int64_t version) {
  return absl::FailedPreconditionError(absl::StrCat(
      "the file has version ", version, " and this server knows versions up to ", kSchemaVersion,
      "; run a server that is as new as the one that wrote it, or restore an older backup"));
}

absl::Status Migrate(std::int64_t from, Database* database) {
  absl::Status status = database->Execute("BEGIN IMMEDIATE");
  for (std::int64_t version = from; status.ok() && version < kSchemaVersion; ++version) {
    status = kMigrations[static_cast<std::size_t>(version)](database);
  }
  if (status.ok()) {
    status = database->Execute(absl::StrCat("PRAGMA user_version = ", kSchemaVersion, "; COMMIT"));
  }
  return status;
}

}  // namespace

absl::Status CheckKind(Database* database) {
  const auto application = database->QueryNumber("PRAGMA application_id");
  if (!application.ok()) return application.status();
  const auto version = database->QueryNumber("PRAGMA user_version");
  if (!version.ok()) return version.status();
  const auto tables = database->QueryNumber("SELECT count(*) FROM sqlite_master");
  if (!tables.ok()) return tables.status();
  if (*application == kApplicationId && *version > kSchemaVersion) return Newer(*version);
  const bool is_ours = *application == kApplicationId && *version > 0;
  const bool is_empty = *application == 0 && *version == 0 && *tables == 0;
  return is_ours || is_empty ? absl::OkStatus() : Foreign();
}

absl::Status PrepareSchema(Database* database) {
  const auto version = database->QueryNumber("PRAGMA user_version");
  if (!version.ok()) return version.status();
  return *version == kSchemaVersion ? absl::OkStatus() : Migrate(*version, database);
}

}  // namespace clearance::server
