// SPDX-License-Identifier: Apache-2.0
//
// A copy of a data directory's shapes and scenes while a server may be writing them.

#pragma once

#include <string>

#include "absl/status/status.h"

namespace clearance::server {

// Copies the shapes and scenes, as of one moment, into a new file for its owner alone. Checks the
// copy before it gets its name: a file of that name is complete. To restore it, put it in an empty
// directory as DatabasePath says. FAILED_PRECONDITION if the file exists already or the directory
// has no database; otherwise as SqliteShapeStore::Open.
absl::Status BackUp(const std::string& data_dir, const std::string& file);

}  // namespace clearance::server
