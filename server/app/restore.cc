// SPDX-License-Identifier: Apache-2.0

#include "server/app/restore.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "clearance/v1/shape.pb.h"
#include "server/convert/shape_digest.h"
#include "server/guard/principal.h"
#include "server/registry/shape_name.h"
#include "server/storage/body_codec.h"

namespace clearance::server {
absl::StatusOr<ShapeContentPtr> ReadStored(const StoredContent& stored) {
  v1::Shape shape;
  const bool is_parsed =
      stored.shape.size() <= std::numeric_limits<int>::max() &&
      shape.ParseFromArray(stored.shape.data(), static_cast<int>(stored.shape.size()));
  if (!is_parsed || DigestOf(shape) != stored.digest) {
    return absl::DataLossError(absl::StrCat("a shape does not have its digest ", stored.digest));
  }
  auto body = DecodeBody(stored.body);
  if (!body.ok()) return body.status();
  return std::make_shared<const ShapeContent>(
      ShapeContent{std::string(stored.digest), *std::move(body), std::string(stored.shape)});
}

absl::StatusOr<NamedShape> ReadStored(const StoredName& stored, std::uint64_t revision,
                                      const ShapeContentPtr& content) {
  const bool is_owned = stored.owner.empty() || IsPrincipalId(stored.owner);
  if (!CheckShapeName(stored.name, "name").ok() || content == nullptr || !is_owned ||
      stored.revision > revision) {
    return absl::DataLossError(absl::StrCat("the store is damaged: the name '", stored.name,
                                            "' has no content, revision or owner; restore a "
                                            "backup"));
  }
  return NamedShape{stored.name, content, stored.revision, stored.owner};
}

namespace {

// Holds the contents that one thread read.
struct Share {
  std::vector<ShapeContentPtr> contents;
  absl::Status status;
};

void ReadShare(const ShapeSource& store, const ShapeSource::Part& part, Share* share) {
  share->status = store.ReadContents(part, [share](const StoredContent& stored) {
    absl::StatusOr<ShapeContentPtr> content = ReadStored(stored);
    if (!content.ok()) return content.status();
    share->contents.push_back(*std::move(content));
    return absl::OkStatus();
  });
}

std::vector<Share> ReadShares(int threads, const ShapeSource& store) {
  const auto parts = static_cast<std::uint64_t>(threads);
  std::vector<Share> shares(parts);
  std::vector<std::thread> readers;
  for (std::uint64_t part = 0; part < parts; ++part) {
    readers.emplace_back([&store, &shares, part, parts] {
      ReadShare(store, {.part = part, .parts = parts}, &shares[part]);
    });
  }
  for (std::thread& reader : readers) reader.join();
  return shares;
}

using Contents = absl::flat_hash_map<std::string, ShapeContentPtr>;

absl::StatusOr<Contents> ReadAllContents(int threads, const ShapeSource& store) {
  Contents contents;
  for (const Share& share : ReadShares(threads, store)) {
    if (!share.status.ok()) return share.status;
    for (const ShapeContentPtr& content : share.contents) {
      contents.emplace(content->digest, content);
    }
  }
  return contents;
}

}  // namespace

absl::Status RestoreShapes(int threads, ShapeSource* store, Registry* registry) {
  const absl::StatusOr<StoredNames> stored = store->ReadNames();
  if (!stored.ok()) return stored.status();
  const absl::StatusOr<Contents> contents = ReadAllContents(threads, *store);
  if (!contents.ok()) return contents.status();
  std::vector<NamedShape> shapes;
  shapes.reserve(stored->names.size());
  for (const StoredName& name : stored->names) {
    const auto content = contents->find(name.digest);
    absl::StatusOr<NamedShape> shape =
        ReadStored(name, stored->revision, content == contents->end() ? nullptr : content->second);
    if (!shape.ok()) return shape.status();
    shapes.push_back(*std::move(shape));
  }
  registry->Follow(shapes, stored->revision);
  return absl::OkStatus();
}

}  // namespace clearance::server
