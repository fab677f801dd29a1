// SPDX-License-Identifier: Apache-2.0
//
// Converts the server's types to the values of etcd, and back. DATA_LOSS for a value that no server
// of this format can have written.

#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "etcd/kv.pb.h"
#include "server/etcd/etcd_blobs.h"
#include "server/etcd/etcd_keys.h"
#include "server/storage/shared_store.h"

namespace clearance::server {

// Return the values of the parts of a commit. Chunks are written at the same time.
absl::StatusOr<std::string> ContentValueOf(EtcdClient* client, const BlobPlace& place,
                                           const ShapeContent& content);
absl::StatusOr<std::string> SceneValueOf(EtcdClient* client, const BlobPlace& place,
                                         const SceneRecord& record);
std::string NameValueOf(const NamedShape& name);

// Reads values as of one etcd revision.
class EtcdValues {
 public:
  // Both arguments outlive this.
  EtcdValues(EtcdClient* client, const EtcdKeys& keys, std::int64_t revision)
      : client_(client), keys_(keys), revision_(revision) {}

  absl::StatusOr<StoredName> Name(const KeyMeaning& key, const mvccpb::KeyValue& value) const;
  absl::StatusOr<OwnedContent> Content(const KeyMeaning& key, const mvccpb::KeyValue& value) const;
  absl::StatusOr<SceneRecord> Scene(const KeyMeaning& key, const mvccpb::KeyValue& value) const;

 private:
  EtcdClient* const client_;
  const EtcdKeys& keys_;
  const std::int64_t revision_;
};

// Returns DATA_LOSS with the key and advice.
absl::Status DamagedValue(const std::string& key, absl::string_view what);

}  // namespace clearance::server
