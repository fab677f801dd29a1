// SPDX-License-Identifier: Apache-2.0
//
// SQLite with owners and statuses: a database and its statements end by themselves, and every call
// returns its result.

#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace clearance::server {

// Returns SQLite's result code as a status: RESOURCE_EXHAUSTED if the disk is full, DATA_LOSS if
// the file is damaged or not a database, FAILED_PRECONDITION if it may not be written or opened,
// otherwise UNAVAILABLE. The text is SQLite's.
absl::Status SqliteStatus(sqlite3* database, int result);

// A value that is a blob and no text.
struct SqlBlob {
  absl::string_view bytes;
};

// One prepared statement. Thread-compatible.
class Statement {
 public:
  // Runs a statement without rows. Its parameters, in their order, are numbers, texts and blobs.
  template <class... Values>
  absl::Status Run(const Values&... values) {
    int index = 0;
    (Bind(++index, values), ...);
    return Step().status();
  }

  // Return columns of the present row; views are valid during the visit of the row.
  absl::string_view Bytes(int column) const;
  std::string Text(int column) const { return std::string(Bytes(column)); }
  std::uint64_t Number(int column) const {
    return static_cast<std::uint64_t>(sqlite3_column_int64(statement_.get(), column));
  }

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

  // Texts and blobs must outlive the next Step.
  void Bind(int index, absl::string_view text) {
    sqlite3_bind_text64(statement_.get(), index, text.data(), text.size(), SQLITE_STATIC,
                        SQLITE_UTF8);
  }
  void Bind(int index, const SqlBlob& blob) {
    sqlite3_bind_blob64(statement_.get(), index, blob.bytes.data(), blob.bytes.size(),
                        SQLITE_STATIC);
  }
  void Bind(int index, std::uint64_t number) {
    sqlite3_bind_int64(statement_.get(), index, static_cast<std::int64_t>(number));
  }
  // Returns true if there is a row. After false or an error the statement can be run again.
  absl::StatusOr<bool> Step();

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

enum class OpenMode : int {
  kReadOnly = SQLITE_OPEN_READONLY,
  kReadWrite = SQLITE_OPEN_READWRITE,
  kCreate = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
};

// One connection. Thread-compatible; must outlive its statements.
class Database {
 public:
  // `vfs` names the layer through which SQLite reaches files; null is the default one.
  static absl::StatusOr<Database> Open(const std::string& path, OpenMode mode,
                                       const char* vfs = nullptr);

  absl::Status Execute(const std::string& sql);
  absl::StatusOr<Statement> Prepare(absl::string_view sql);
  // Visits the rows of a query, until one visit fails.
  using VisitRow = std::function<absl::Status(const Statement& row)>;
  absl::Status ForEachRow(absl::string_view sql, const VisitRow& visit);
  // Return the first column of a query's only row.
  absl::StatusOr<std::string> QueryText(absl::string_view sql);
  absl::StatusOr<std::int64_t> QueryNumber(absl::string_view sql);

  // Runs a check that answers `ok` or what is wrong. DATA_LOSS for anything but `ok`.
  absl::Status Check(absl::string_view sql);

  // Sets whether statements wait, for seconds, while others hold what they need; at first they do.
  void SetWaiting(bool waits);

  bool is_in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }
  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  explicit Database(sqlite3* handle) : handle_(handle) {}

  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace clearance::server
