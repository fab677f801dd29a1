// SPDX-License-Identifier: Apache-2.0
//
// What the tables of the store are, which version of them a file has, and how an older one becomes
// today's. A file says that it is ours by SQLite's application_id, its version by user_version.
//
//     contents  id, digest, shape (clearance.v1.Shape as it was given), body
//               (body_codec.h), checksum (SHA-256 over the three)
//     names     name, digest (of a content), revision (at which the name took it), owner (the id of
//               the principal who gave it the content; empty: nobody), checksum (SHA-256 over
//               all of these)
//     scene_records  name (of a scene), incarnation (which tells it from others of the name),
//               revision, is_whole (1 of the first one, which is the whole scene; 0 of what
//               made each revision after it of the one before), change (clearance.v1.SceneChange),
//               owner (the id of the principal who made the scene; empty: nobody), checksum
//               (SHA-256 over all of these; what version 2 wrote, without an owner, keeps its own)
//     registry  one row: the revision, which outlives a deletion; checksum (SHA-256 over it);
//               trials, counted up to have something to write
//
// Every content has a name: the last name takes its content along.

#ifndef CLEARANCE_SERVER_STORAGE_SCHEMA_H_
#define CLEARANCE_SERVER_STORAGE_SCHEMA_H_

#include <cstdint>

#include "absl/status/status.h"
#include "server/storage/sqlite.h"

namespace clearance::server {

inline constexpr std::int64_t kApplicationId = 0x636c726e;  // "clrn"
inline constexpr std::int64_t kSchemaVersion = 4;

// Writes nothing. FAILED_PRECONDITION where the file is another program's or a newer server's,
// DATA_LOSS where it is no database. An empty one passes.
absl::Status CheckKind(Database* database);

// Makes an empty file ours and an older one today's. Requires: CheckKind says OK.
absl::Status PrepareSchema(Database* database);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_STORAGE_SCHEMA_H_
