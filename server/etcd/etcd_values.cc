// SPDX-License-Identifier: Apache-2.0

#include "server/etcd/etcd_values.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "clearance/store/v1/store.pb.h"
#include "server/storage/body_codec.h"
#include "server/storage/checksum.h"

namespace clearance::server {
namespace {

std::string HashOfScene(const std::string& name, const store::v1::SceneValue& value,
                        const std::string& change) {
  const std::string numbers =
      absl::StrCat(value.incarnation(), " ", value.revision(), " ", value.is_whole());
  return ChecksumOf({name, numbers, value.owner(), change});
}

// Adds the key of the value if the failure is the blob's and not the network's.
absl::Status Of(const std::string& key, const absl::Status& status) {
  return absl::IsDataLoss(status) ? DamagedValue(key, status.message()) : status;
}

}  // namespace

absl::Status DamagedValue(const std::string& key, absl::string_view what) {
  return absl::DataLossError(absl::StrCat("the store is damaged: ", key, ": ", what,
                                          "; restore a snapshot of etcd, or repair the key"));
}

absl::StatusOr<std::string> ContentValueOf(EtcdClient* client, const BlobPlace& place,
                                           const ShapeContent& content) {
  store::v1::ContentBytes bytes;
  bytes.set_shape(content.serialized);
  bytes.set_body(EncodeBody(*content.body));
  auto blob = WriteBlob(client, place, bytes.SerializeAsString());
  if (!blob.ok()) return blob.status();
  store::v1::ContentValue value;
  *value.mutable_content() = *std::move(blob);
  value.set_hash(ChecksumOf({content.digest, bytes.shape(), bytes.body()}));
  return value.SerializeAsString();
}

absl::StatusOr<std::string> SceneValueOf(EtcdClient* client, const BlobPlace& place,
                                         const SceneRecord& record) {
  store::v1::SceneValue value;
  value.set_incarnation(record.incarnation);
  value.set_revision(record.revision);
  value.set_is_whole(record.is_whole);
  value.set_owner(record.owner);
  value.set_hash(HashOfScene(record.name, value, record.change));
  auto blob = WriteBlob(client, place, record.change);
  if (!blob.ok()) return blob.status();
  *value.mutable_change() = *std::move(blob);
  return value.SerializeAsString();
}

std::string NameValueOf(const NamedShape& name) {
  store::v1::NameValue value;
  value.set_digest(name.content->digest);
  value.set_revision(name.revision);
  value.set_owner(name.owner);
  return value.SerializeAsString();
}

absl::StatusOr<StoredName> EtcdValues::Name(const KeyMeaning& key,
                                            const mvccpb::KeyValue& value) const {
  store::v1::NameValue name;
  if (!name.ParseFromString(value.value())) return DamagedValue(value.key(), "cannot be read");
  return StoredName{key.name, name.digest(), name.revision(), name.owner()};
}

absl::StatusOr<OwnedContent> EtcdValues::Content(const KeyMeaning& key,
                                                 const mvccpb::KeyValue& value) const {
  store::v1::ContentValue content;
  if (!content.ParseFromString(value.value())) return DamagedValue(value.key(), "cannot be read");
  const auto bytes = ReadBlob(client_, {keys_.ChunksOf(value.key()), revision_}, content.content());
  if (!bytes.ok()) return Of(value.key(), bytes.status());
  store::v1::ContentBytes parts;
  const bool is_read = parts.ParseFromString(*bytes);
  if (!is_read || ChecksumOf({key.name, parts.shape(), parts.body()}) != content.hash())
    return DamagedValue(value.key(), "the content is not as it was written");
  return OwnedContent{key.name, std::move(*parts.mutable_shape()),
                      std::move(*parts.mutable_body())};
}

absl::StatusOr<SceneRecord> EtcdValues::Scene(const KeyMeaning& key,
                                              const mvccpb::KeyValue& value) const {
  store::v1::SceneValue scene;
  if (!scene.ParseFromString(value.value())) return DamagedValue(value.key(), "cannot be read");
  auto change = ReadBlob(client_, {keys_.ChunksOf(value.key()), revision_}, scene.change());
  if (!change.ok()) return Of(value.key(), change.status());
  if (HashOfScene(key.name, scene, *change) != scene.hash() || scene.revision() != key.revision)
    return DamagedValue(value.key(), "the scene's record is not as it was written");
  return SceneRecord{.name = key.name,
                     .incarnation = scene.incarnation(),
                     .revision = scene.revision(),
                     .is_whole = scene.is_whole(),
                     .owner = scene.owner(),
                     .change = *std::move(change)};
}

}  // namespace clearance::server
