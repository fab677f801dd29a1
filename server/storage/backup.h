// SPDX-License-Identifier: Apache-2.0
//
// A copy of a data directory's shapes and scenes while a server may be writing them.

#ifndef CLEARANCE_SERVER_STORAGE_BACKUP_H_
#define CLEARANCE_SERVER_STORAGE_BACKUP_H_

#include <string>

#include "absl/status/status.h"

namespace clearance::server {

// Copies the shapes and scenes, as of one moment, into a new file of the owner's alone, checks the
// copy and only then gives it its name: a file of that name is whole. To restore it, put it in an
// empty directory as DatabasePath says. FAILED_PRECONDITION where the file is there already or the
// directory has no database; else as SqliteShapeStore::Open.
absl::Status BackUp(const std::string& data_dir, const std::string& file);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_STORAGE_BACKUP_H_
