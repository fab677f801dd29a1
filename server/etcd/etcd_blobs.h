// SPDX-License-Identifier: Apache-2.0
//
// Bytes of any size in etcd, whose requests may have 1.5 MiB: in the value itself or, where they
// are many, in chunks beside it, written before and named by what is in them. So what is written
// twice, or in vain, changes nothing, and what is there already is not written again: who deletes
// it makes a commit, after which one that relied on it is tried anew.

#ifndef CLEARANCE_SERVER_ETCD_ETCD_BLOBS_H_
#define CLEARANCE_SERVER_ETCD_ETCD_BLOBS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "clearance/store/v1/store.pb.h"
#include "server/etcd/etcd_client.h"

namespace clearance::server {

// Of one value.
inline constexpr std::size_t kMostInlineBytes = std::size_t{128} << 10;
inline constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

// How long a member may take for a chunk or a page, and all of them.
inline constexpr EtcdClient::Patience kBulkPatience = {absl::Seconds(2), absl::Seconds(10)};

// The bytes as a value: in its place up to `most_inline`, else in chunks whose keys begin with
// `chunks`, which are written. For each call etcd has the patience.
struct BlobPlace {
  std::string chunks;
  std::size_t most_inline = kMostInlineBytes;
  EtcdClient::Patience patience = kBulkPatience;
};
absl::StatusOr<store::v1::BlobValue> WriteBlob(EtcdClient* client, const BlobPlace& place,
                                               const std::string& bytes);

// What was written; chunks as of an etcd revision. DATA_LOSS where they are not as they were
// written, OUT_OF_RANGE where that revision is compacted.
struct BlobAsOf {
  std::string chunks;
  std::int64_t revision = 0;
};
absl::StatusOr<std::string> ReadBlob(EtcdClient* client, const BlobAsOf& place,
                                     const store::v1::BlobValue& blob);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_ETCD_ETCD_BLOBS_H_
