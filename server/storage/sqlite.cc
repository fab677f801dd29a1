// SPDX-License-Identifier: Apache-2.0

#include "server/storage/sqlite.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace clearance::server {
namespace {

// Maximum time for which another process, such as a backup, may hold the file.
constexpr int kBusyMilliseconds = 5000;

absl::StatusCode CodeOf(int result) {
  constexpr int kPrimaryCode = 0xff;
  switch (result & kPrimaryCode) {
    case SQLITE_FULL:
      return absl::StatusCode::kResourceExhausted;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::StatusCode::kDataLoss;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      return absl::StatusCode::kFailedPrecondition;
    default:
      return absl::StatusCode::kUnavailable;
  }
}

}  // namespace

absl::Status SqliteStatus(sqlite3* database, int result) {
  if (result == SQLITE_OK || result == SQLITE_ROW || result == SQLITE_DONE) {
    return absl::OkStatus();
  }
  const char* const what = sqlite3_errstr(result);
  const char* const details = database == nullptr ? "" : sqlite3_errmsg(database);
  return absl::Status(CodeOf(result), absl::string_view(what) == details || *details == '\0'
                                          ? std::string(what)
                                          : absl::StrCat(what, ": ", details));
}

absl::StatusOr<bool> Statement::Step() {
  const int result = sqlite3_step(statement_.get());
  if (result == SQLITE_ROW) return true;
  const absl::Status status = SqliteStatus(sqlite3_db_handle(statement_.get()), result);
  sqlite3_reset(statement_.get());
  if (!status.ok()) return status;
  return false;
}

absl::string_view Statement::Bytes(int column) const {
  const void* const bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

absl::StatusOr<Database> Database::Open(const std::string& path, OpenMode mode, const char* vfs) {
  sqlite3* handle = nullptr;
  const int flags = static_cast<int>(mode) | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int result = sqlite3_open_v2(path.c_str(), &handle, flags, vfs);
  Database database(handle);  // even after a failure there is something to close
  if (absl::Status status = SqliteStatus(handle, result); !status.ok()) return status;
  database.SetWaiting(true);
  return database;
}

void Database::SetWaiting(bool waits) {
  sqlite3_busy_timeout(handle(), waits ? kBusyMilliseconds : 0);
}

absl::Status Database::Execute(const std::string& sql) {
  return SqliteStatus(handle(), sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr));
}

absl::StatusOr<Statement> Database::Prepare(absl::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int result = sqlite3_prepare_v3(handle(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (absl::Status status = SqliteStatus(handle(), result); !status.ok()) return status;
  return Statement(statement);
}

absl::Status Database::ForEachRow(absl::string_view sql, const VisitRow& visit) {
  absl::StatusOr<Statement> statement = Prepare(sql);
  if (!statement.ok()) return statement.status();
  while (true) {
    const absl::StatusOr<bool> row = statement->Step();
    if (!row.ok() || !*row) return row.status();
    if (absl::Status status = visit(*statement); !status.ok()) return status;
  }
}

absl::StatusOr<std::string> Database::QueryText(absl::string_view sql) {
  std::string text;
  absl::Status status = ForEachRow(sql, [&](const Statement& row) {
    text = row.Text(0);
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return text;
}

absl::StatusOr<std::int64_t> Database::QueryNumber(absl::string_view sql) {
  const absl::StatusOr<std::string> text = QueryText(sql);
  if (!text.ok()) return text.status();
  std::int64_t number = 0;
  return absl::SimpleAtoi(*text, &number) ? number : 0;
}

absl::Status Database::Check(absl::string_view sql) {
  const absl::StatusOr<std::string> verdict = QueryText(sql);
  if (!verdict.ok()) return verdict.status();
  return *verdict == "ok" ? absl::OkStatus() : absl::DataLossError(*verdict);
}

}  // namespace clearance::server
