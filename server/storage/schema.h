// SPDX-License-Identifier: Apache-2.0
//
// The tables of the store, the version of them that a file has, and the migration of older
// versions. A file is identified as ours by SQLite's application_id, and its version by
// user_version.
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

#include <cstdint>

#include "absl/status/status.h"
#include "server/storage/sqlite.h"

namespace clearance::server {

inline constexpr std::int64_t kApplicationId = 0x636c726e;  // "clrn"
inline constexpr std::int64_t kSchemaVersion = 4;

// Checks the kind of the file and writes nothing. FAILED_PRECONDITION if the file is another
// program's or a newer server's, DATA_LOSS if it is not a database. An empty file passes.
absl::Status CheckKind(Database* database);

// Sets up an empty file and migrates an older one. Requires: CheckKind returns OK.
absl::Status PrepareSchema(Database* database);

}  // namespace clearance::server
