// SPDX-License-Identifier: Apache-2.0
//
// The checksum that stored bytes are compared with when they are read. Neither SQLite nor etcd has
// checksums of single values.

#ifndef CLEARANCE_SERVER_STORAGE_CHECKSUM_H_
#define CLEARANCE_SERVER_STORAGE_CHECKSUM_H_

#include <initializer_list>
#include <string>

#include "absl/strings/string_view.h"

namespace clearance::server {

// Returns the SHA-256 over all parts, each with its length before it; 32 bytes. Thread-safe.
std::string ChecksumOf(std::initializer_list<absl::string_view> parts);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_STORAGE_CHECKSUM_H_
