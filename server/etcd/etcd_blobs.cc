// SPDX-License-Identifier: Apache-2.0

#include "server/etcd/etcd_blobs.h"

#include "absl/container/flat_hash_set.h"
#include "server/etcd/etcd_keys.h"
#include "server/storage/checksum.h"

namespace clearance::server {

namespace {

// More chunks than any value has. A chunk number has six digits in a key.
constexpr std::uint32_t kMostChunks = 999'999;

// Returns the keys of the chunks that exist. A commit that others preceded and that is tried again
// finds all of its chunks.
absl::StatusOr<absl::flat_hash_set<std::string>> ChunksThere(EtcdClient* client,
                                                             const BlobPlace& place,
                                                             const std::string& hash) {
  etcdserverpb::RangeRequest request;
  request.set_key(EtcdKeys::Chunk(place.chunks, hash, 0));
  request.set_range_end(EtcdKeys::Chunk(place.chunks, hash, kMostChunks));
  request.set_keys_only(true);
  etcdserverpb::RangeResponse response;
  if (absl::Status status = client->Range(request, place.patience, &response); !status.ok())
    return status;
  absl::flat_hash_set<std::string> there;
  for (const mvccpb::KeyValue& value : response.kvs()) there.insert(value.key());
  return there;
}

}  // namespace

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
  const auto there = ChunksThere(client, place, chunks.hash());
  if (!there.ok()) return there.status();
  for (std::size_t begin = 0; begin < bytes.size(); begin += kChunkBytes) {
    etcdserverpb::PutRequest put;
    put.set_key(EtcdKeys::Chunk(place.chunks, chunks.hash(), chunks.count()));
    chunks.set_count(chunks.count() + 1);
    if (there->contains(put.key())) continue;
    put.set_value(bytes.substr(begin, kChunkBytes));
    if (absl::Status status = client->Put(put, place.patience); !status.ok()) return status;
  }
  return blob;
}

absl::StatusOr<std::string> ReadBlob(EtcdClient* client, const BlobAsOf& place,
                                     const store::v1::BlobValue& blob) {
  if (blob.has_bytes()) return blob.bytes();
  const store::v1::Chunks& chunks = blob.chunks();
  std::string bytes;
  for (std::uint32_t number = 0; number < chunks.count(); ++number) {
    etcdserverpb::RangeRequest request;
    request.set_key(EtcdKeys::Chunk(place.chunks, chunks.hash(), number));
    request.set_revision(place.revision);
    etcdserverpb::RangeResponse response;
    if (absl::Status status = client->Range(request, kBulkPatience, &response); !status.ok())
      return status;
    if (response.kvs_size() != 1) return absl::DataLossError("a chunk is missing");
    bytes += response.kvs(0).value();
  }
  if (bytes.size() == chunks.size() && ChecksumOf({bytes}) == chunks.hash()) return bytes;
  return absl::DataLossError("chunks are not as they were written");
}

}  // namespace clearance::server
