// SPDX-License-Identifier: Apache-2.0
//
// Bytes of any size in etcd, whose requests may have 1.5 MiB. Small values hold the bytes
// themselves. Large ones refer to chunks beside them, which are written before and named by their
// content. So writing a chunk twice, or in vain, changes nothing, and an existing chunk is not
// written again. Chunks are deleted by a commit, after which a commit that relied on them is tried
// again.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "clearance/store/v1/store.pb.h"
#include "server/etcd/etcd_client.h"

namespace clearance::server {

// Bytes of one value that are stored inline, and bytes of one chunk, at most.
inline constexpr std::size_t kMostInlineBytes = std::size_t{128} << 10;
inline constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

// Maximum time of one member for a chunk or a page, and of all members together.
inline constexpr EtcdClient::Patience kBulkPatience = {absl::Seconds(2), absl::Seconds(10)};

// WriteBlob returns the bytes as a value: inline up to `most_inline`, otherwise in chunks, which it
// writes under keys that begin with `chunks`. The patience applies to each call of etcd.
struct BlobPlace {
  std::string chunks;
  std::size_t most_inline = kMostInlineBytes;
  EtcdClient::Patience patience = kBulkPatience;
};
absl::StatusOr<store::v1::BlobValue> WriteBlob(EtcdClient* client, const BlobPlace& place,
                                               const std::string& bytes);

// ReadBlob returns the bytes that were written, with chunks as of an etcd revision. DATA_LOSS if
// they are not as they were written, OUT_OF_RANGE if that revision is compacted.
struct BlobAsOf {
  std::string chunks;
  std::int64_t revision = 0;
};
absl::StatusOr<std::string> ReadBlob(EtcdClient* client, const BlobAsOf& place,
                                     const store::v1::BlobValue& blob);

}  // namespace clearance::server
