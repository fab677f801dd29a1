// SPDX-License-Identifier: Apache-2.0
//
// The checksums that stored bytes are compared with when they are read. Neither SQLite nor etcd has
// checksums of single values.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "absl/strings/string_view.h"
#include "server/storage/shape_store.h"

namespace clearance::server {

// Returns the SHA-256 over all parts, each with its length before it; 32 bytes. Thread-safe.
std::string ChecksumOf(std::initializer_list<absl::string_view> parts);

// Return the checksum of a row of the database, over all its columns.
std::string RowChecksum(const StoredContent& content);
std::string RowChecksum(const StoredName& name);
std::string RowChecksum(const SceneRecord& record);
// Returns the checksum of the registry's one row.
std::string RowChecksum(std::uint64_t revision);

}  // namespace clearance::server
