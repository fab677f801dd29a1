// SPDX-License-Identifier: Apache-2.0
//
// From what the server knows to the values of etcd, and back. DATA_LOSS of a value that no server
// of this format can have written.

#ifndef CLEARANCE_SERVER_ETCD_ETCD_VALUES_H_
#define CLEARANCE_SERVER_ETCD_ETCD_VALUES_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "etcd/kv.pb.h"
#include "server/etcd/etcd_blobs.h"
#include "server/etcd/etcd_keys.h"
#include "server/storage/shared_store.h"

namespace clearance::server {

// Values of what goes into a commit. Chunks are written as they are made.
absl::StatusOr<std::string> ContentValueOf(EtcdClient* client, const BlobPlace& place,
                                           const ShapeContent& content);
absl::StatusOr<std::string> SceneValueOf(EtcdClient* client, const BlobPlace& place,
                                         const SceneRecord& record);
std::string NameValueOf(const RegistryChanges::Name& name);

// Reads values as of one etcd revision.
class EtcdValues {
 public:
  // Both outlive this.
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

// With the key and what to do about it.
absl::Status DamagedValue(const std::string& key, absl::string_view what);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_ETCD_ETCD_VALUES_H_
