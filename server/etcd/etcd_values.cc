// SPDX-License-Identifier: Apache-2.0

#include "server/etcd/etcd_values.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "server/storage/body_codec.h"

namespace clearance::server {
namespace {

constexpr absl::string_view kRegistry = "registry/";
constexpr std::string_view kDigestHead = "v1-sha256-";
// Number of values of the leading digits of a digest, which determine its part.
constexpr std::uint64_t kFirstDigits = std::uint64_t{1} << 16;

std::string HashOfScene(const std::string& name, const store::v1::SceneValue& value,
                        const std::string& change) {
  const std::string numbers =
      absl::StrCat(value.incarnation(), " ", value.revision(), " ", value.is_whole());
  return ChecksumOf({name, numbers, value.owner(), change});
}

// More chunks than any value has. A chunk number has six digits in a key.
constexpr std::uint32_t kMostChunks = 999'999;

}  // namespace

KeyRange KeysUnder(std::string begin) {
  std::string end = begin;
  ++end.back();
  return {std::move(begin), std::move(end)};
}

KeyRange EtcdKeys::ContentsOf(const ShapeSource::Part& part) const {
  const std::string head = Content(kDigestHead);
  const auto border = [&](std::uint64_t number) {
    return head + absl::StrFormat("%04x", kFirstDigits * number / part.parts);
  };
  return {part.part == 0 ? Contents() : border(part.part),
          part.part + 1 == part.parts ? KeysUnder(Contents()).end : border(part.part + 1)};
}

std::string EtcdKeys::Scene(std::string_view name, std::uint64_t revision) const {
  return ScenesOf(name) + absl::StrFormat("%020u", revision);
}

std::string EtcdKeys::ChunksOf(std::string_view key) const {
  return root_ + "chunks/" + std::string(key.substr(root_.size() + kRegistry.size()));
}

std::string EtcdKeys::Chunk(const std::string& chunks, std::string_view hash,
                            std::uint32_t number) {
  return chunks + "/" + absl::BytesToHexString(absl::string_view(hash.data(), hash.size())) +
         absl::StrFormat("/%06u", number);
}

KeyMeaning EtcdKeys::MeaningOf(std::string_view key) const {
  absl::string_view rest(key.data(), key.size());
  if (!absl::ConsumePrefix(&rest, root_) || !absl::ConsumePrefix(&rest, kRegistry)) return {};
  if (rest == "revision") return {.kind = KeyMeaning::Kind::kRevision, .name = {}};
  if (absl::ConsumePrefix(&rest, "names/"))
    return {.kind = KeyMeaning::Kind::kName, .name = std::string(rest)};
  if (absl::ConsumePrefix(&rest, "contents/"))
    return {.kind = KeyMeaning::Kind::kContent, .name = std::string(rest)};
  if (!absl::ConsumePrefix(&rest, "scenes/")) return {};
  const std::size_t at = rest.find('@');
  if (at == absl::string_view::npos) return {};
  KeyMeaning meaning = {.kind = KeyMeaning::Kind::kScene, .name = std::string(rest.substr(0, at))};
  return absl::SimpleAtoi(rest.substr(at + 1), &meaning.revision) ? meaning : KeyMeaning{};
}

absl::StatusOr<store::v1::BlobValue> WriteBlob(EtcdClient* client, const BlobPlace& place,
                                               const std::string& bytes) {
  store::v1::BlobValue blob;
  if (bytes.size() <= place.most_inline) {
    blob.set_bytes(bytes);
    return blob;
  }
  store::v1::Chunks& chunks = *blob.mutable_chunks();
  chunks.set_hash(ChecksumOf({bytes}));
  chunks.set_size(bytes.size());
  etcdserverpb::RangeRequest all;
  all.set_key(EtcdKeys::Chunk(place.chunks, chunks.hash(), 0));
  all.set_range_end(EtcdKeys::Chunk(place.chunks, chunks.hash(), kMostChunks));
  all.set_keys_only(true);
  // A commit that others preceded and that is tried again finds all of its chunks.
  const auto found = client->Range(all, place.patience);
  if (!found.ok()) return found.status();
  absl::flat_hash_set<std::string> there;
  for (const mvccpb::KeyValue& value : found->kvs()) there.insert(value.key());
  for (std::size_t begin = 0; begin < bytes.size(); begin += kChunkBytes) {
    etcdserverpb::PutRequest put;
    put.set_key(EtcdKeys::Chunk(place.chunks, chunks.hash(), chunks.count()));
    chunks.set_count(chunks.count() + 1);
    if (there.contains(put.key())) continue;
    put.set_value(bytes.substr(begin, kChunkBytes));
    if (absl::Status status = client->Put(put, place.patience); !status.ok()) return status;
  }
  return blob;
}

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

absl::StatusOr<std::string> EtcdValues::ReadBlob(const std::string& key,
                                                 const store::v1::BlobValue& blob) const {
  if (blob.has_bytes()) return blob.bytes();
  const store::v1::Chunks& chunks = blob.chunks();
  std::string bytes;
  for (std::uint32_t number = 0; number < chunks.count(); ++number) {
    const std::string chunk = EtcdKeys::Chunk(keys_.ChunksOf(key), chunks.hash(), number);
    const auto response = client_->Get(chunk, kBulkPatience, revision_);
    if (absl::IsDataLoss(response.status())) return DamagedValue(key, response.status().message());
    if (!response.ok()) return response.status();
    if (response->kvs_size() != 1) return DamagedValue(key, "a chunk is missing");
    bytes += response->kvs(0).value();
  }
  if (bytes.size() == chunks.size() && ChecksumOf({bytes}) == chunks.hash()) return bytes;
  return DamagedValue(key, "chunks are not as they were written");
}

absl::StatusOr<StoredName> EtcdValues::Name(const mvccpb::KeyValue& value) const {
  store::v1::NameValue name;
  if (!name.ParseFromString(value.value())) return DamagedValue(value.key(), "cannot be read");
  return StoredName{keys_.MeaningOf(value.key()).name, name.digest(), name.revision(),
                    name.owner()};
}

absl::StatusOr<StoredContent> EtcdValues::Content(const mvccpb::KeyValue& value) const {
  store::v1::ContentValue content;
  if (!content.ParseFromString(value.value())) return DamagedValue(value.key(), "cannot be read");
  const auto bytes = ReadBlob(value.key(), content.content());
  if (!bytes.ok()) return bytes.status();
  const std::string digest = keys_.MeaningOf(value.key()).name;
  store::v1::ContentBytes parts;
  const bool is_read = parts.ParseFromString(*bytes);
  if (!is_read || ChecksumOf({digest, parts.shape(), parts.body()}) != content.hash())
    return DamagedValue(value.key(), "the content is not as it was written");
  return StoredContent{digest, std::move(*parts.mutable_shape()), std::move(*parts.mutable_body())};
}

absl::StatusOr<SceneRecord> EtcdValues::Scene(const mvccpb::KeyValue& value) const {
  store::v1::SceneValue scene;
  if (!scene.ParseFromString(value.value())) return DamagedValue(value.key(), "cannot be read");
  auto change = ReadBlob(value.key(), scene.change());
  if (!change.ok()) return change.status();
  const KeyMeaning key = keys_.MeaningOf(value.key());
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
