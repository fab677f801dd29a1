// SPDX-License-Identifier: Apache-2.0

#include "server/storage/row_checksum.h"

#include "absl/strings/str_cat.h"
#include "server/storage/checksum.h"

namespace clearance::server {

std::string RowChecksum(const StoredContent& content) {
  return ChecksumOf({content.digest, content.shape, content.body});
}

std::string RowChecksum(const StoredName& name) {
  return ChecksumOf({name.name, name.digest, absl::StrCat(name.revision), name.owner});
}

std::string RowChecksum(const SceneRecord& record) {
  const std::string numbers =
      absl::StrCat(record.incarnation, " ", record.revision, " ", record.is_whole);
  if (record.owner.empty()) return ChecksumOf({record.name, numbers, record.change});
  return ChecksumOf({record.name, numbers, record.change, record.owner});
}

std::string RowChecksum(std::uint64_t revision) { return ChecksumOf({absl::StrCat(revision)}); }

}  // namespace clearance::server
