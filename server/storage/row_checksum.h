// SPDX-License-Identifier: Apache-2.0
//
// The checksum of each row of the database, over all its columns.

#ifndef CLEARANCE_SERVER_STORAGE_ROW_CHECKSUM_H_
#define CLEARANCE_SERVER_STORAGE_ROW_CHECKSUM_H_

#include <cstdint>
#include <string>

#include "server/registry/scene_record.h"
#include "server/storage/shape_store.h"

namespace clearance::server {

std::string RowChecksum(const StoredContent& content);
std::string RowChecksum(const StoredName& name);
std::string RowChecksum(const SceneRecord& record);
// Returns the checksum of the registry's one row.
std::string RowChecksum(std::uint64_t revision);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_STORAGE_ROW_CHECKSUM_H_
