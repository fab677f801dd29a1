// SPDX-License-Identifier: Apache-2.0
//
// The keys in etcd (proto/clearance/store/v1/store.proto) and their values. Converts the server's
// types to values and back. DATA_LOSS for a value that no server of this format can have written.
//
// A request of etcd may have 1.5 MiB, and values have any size. Large values refer to chunks beside
// them, which are written before and named by their content. So writing a chunk twice, or in vain,
// changes nothing, and an existing chunk is not written again. Chunks are deleted by a commit. A
// commit that relied on them is then tried again.

#pragma once

#include "clearance/store/v1/store.pb.h"
#include "etcd/kv.pb.h"
#include "server/etcd/etcd_client.h"
#include "server/storage/shape_store.h"

namespace clearance::server {

// The keys from `begin`, inclusive, to `end`, exclusive.
struct KeyRange {
  std::string begin;
  std::string end;
};

// Returns all keys that begin with the text. Requires: it ends with an ASCII character.
KeyRange KeysUnder(std::string begin);

// A parsed key below the prefix.
struct KeyMeaning {
  enum class Kind : std::uint8_t { kOther, kRevision, kName, kContent, kScene };
  Kind kind = Kind::kOther;
  std::string name;            // the digest of a content
  std::uint64_t revision = 0;  // of a scene
};

// Thread-safe.
class EtcdKeys {
 public:
  explicit EtcdKeys(const std::string& prefix) : root_(prefix + "/") {}

  // Returns the keys that every server follows.
  KeyRange Registry() const { return KeysUnder(root_ + "registry/"); }
  std::string Format() const { return root_ + "registry/format"; }
  std::string Revision() const { return root_ + "registry/revision"; }
  std::string Name(std::string_view name) const { return Names() + std::string(name); }
  std::string Names() const { return root_ + "registry/names/"; }
  std::string Content(std::string_view digest) const { return Contents() + std::string(digest); }
  std::string Contents() const { return root_ + "registry/contents/"; }
  // Returns the keys of the contents in one part of all digests, by their first digits.
  KeyRange ContentsOf(const ShapeSource::Part& part) const;
  std::string Scene(std::string_view name, std::uint64_t revision) const;
  std::string Scenes() const { return root_ + "registry/scenes/"; }
  // Returns the beginning of the keys of all revisions of one scene.
  std::string ScenesOf(std::string_view name) const { return Scenes() + std::string(name) + "@"; }

  // Returns the beginning of the chunk keys of the value under `key`, one of the keys above.
  std::string ChunksOf(std::string_view key) const;
  static std::string Chunk(const std::string& chunks, std::string_view hash, std::uint32_t number);

  std::string Writer(const std::string& id) const { return root_ + "writers/" + id; }
  // Returns the key that the writer puts to test whether it can write.
  std::string Probe(const std::string& id) const { return root_ + "probes/" + id; }

  KeyMeaning MeaningOf(std::string_view key) const;

 private:
  const std::string root_;
};

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

// Return the values of the parts of a commit. Chunks are written at the same time.
absl::StatusOr<std::string> ContentValueOf(EtcdClient* client, const BlobPlace& place,
                                           const ShapeContent& content);
absl::StatusOr<std::string> SceneValueOf(EtcdClient* client, const BlobPlace& place,
                                         const SceneRecord& record);
std::string NameValueOf(const NamedShape& name);

// Reads values as of one etcd revision. OUT_OF_RANGE if that revision is compacted.
class EtcdValues {
 public:
  // Both arguments outlive this.
  EtcdValues(EtcdClient* client, const EtcdKeys& keys, std::int64_t revision)
      : client_(client), keys_(keys), revision_(revision) {}

  // Require: the key is of this kind.
  absl::StatusOr<StoredName> Name(const mvccpb::KeyValue& value) const;
  absl::StatusOr<StoredContent> Content(const mvccpb::KeyValue& value) const;
  absl::StatusOr<SceneRecord> Scene(const mvccpb::KeyValue& value) const;

 private:
  absl::StatusOr<std::string> ReadBlob(const std::string& key,
                                       const store::v1::BlobValue& blob) const;

  EtcdClient* const client_;
  const EtcdKeys& keys_;
  const std::int64_t revision_;
};

// Returns DATA_LOSS with the key and advice.
absl::Status DamagedValue(const std::string& key, absl::string_view what);

}  // namespace clearance::server
