// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a key of etcd and its value. The key means nothing, or what the server itself would
// call so; the value is refused, with the key, or it is a name, a content with its digest or a
// scene's record. Where the first byte is odd the value's own hash is made right first, so that
// what lies behind it is reached. (Chunks are asked of etcd, which is not here: they are left out.)

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "clearance/store/v1/store.pb.h"
#include "clearance/v1/shape.pb.h"
#include "server/app/restore.h"
#include "server/convert/shape_content.h"
#include "server/etcd/etcd_values.h"
#include "server/storage/body_codec.h"
#include "tests/fuzz/byte_reader.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/fuzz/quiet_protobuf.h"

namespace clearance::fuzz {
namespace {

using Kind = server::KeyMeaning::Kind;

const server::EtcdKeys& Keys() {
  static const server::EtcdKeys& keys = *new server::EtcdKeys("c");
  return keys;
}

// The server's own key of this meaning.
std::string KeyOf(const server::KeyMeaning& meaning) {
  switch (meaning.kind) {
    case Kind::kRevision:
      return Keys().Revision();
    case Kind::kName:
      return Keys().Name(meaning.name);
    case Kind::kContent:
      return Keys().Content(meaning.name);
    case Kind::kScene:
      return Keys().Scene(meaning.name, meaning.revision);
    default:
      return "";
  }
}

void RequireRefusal(const absl::Status& status, const std::string& key) {
  Require(absl::IsDataLoss(status) && absl::StrContains(status.message(), key),
          "a refusal names the key");
}

void MakeHashRight(const std::string& digest, store::v1::ContentValue* value) {
  store::v1::ContentBytes parts;
  if (!parts.ParseFromString(value->content().bytes())) return;
  value->set_hash(server::ChecksumOf({digest, parts.shape(), parts.body()}));
}

void MakeHashRight(const std::string& name, store::v1::SceneValue* value) {
  const std::string numbers =
      absl::StrCat(value->incarnation(), " ", value->revision(), " ", value->is_whole());
  value->set_hash(server::ChecksumOf({name, numbers, value->owner(), value->change().bytes()}));
}

// Whether the value can be read without etcd.
template <class Value>
bool Settle(bool makes_hash_right, const std::string& name, mvccpb::KeyValue* pair) {
  Value value;
  if (!value.ParseFromString(pair->value())) return true;
  if constexpr (std::is_same_v<Value, store::v1::ContentValue>) {
    if (value.content().has_chunks()) return false;
  } else {
    if (value.change().has_chunks()) return false;
  }
  if (!makes_hash_right) return true;
  MakeHashRight(name, &value);
  pair->set_value(value.SerializeAsString());
  return true;
}

void FuzzContent(bool makes_hash_right, const server::KeyMeaning& meaning, mvccpb::KeyValue pair) {
  if (!Settle<store::v1::ContentValue>(makes_hash_right, meaning.name, &pair)) return;
  const auto content = server::EtcdValues(nullptr, Keys(), 1).Content(pair);
  if (!content.ok()) return RequireRefusal(content.status(), pair.key());
  Require(content->digest == meaning.name, "a content is its key's");
  const auto stored = server::ReadStored(*content);
  if (!stored.ok()) return Require(!stored.status().message().empty(), "a refusal says why");
  v1::Shape shape;
  Require(shape.ParseFromString(content->shape) && server::DigestOf(shape) == meaning.name,
          "a content that is taken has its digest");
}

void FuzzScene(bool makes_hash_right, const server::KeyMeaning& meaning, mvccpb::KeyValue pair) {
  if (!Settle<store::v1::SceneValue>(makes_hash_right, meaning.name, &pair)) return;
  const auto record = server::EtcdValues(nullptr, Keys(), 1).Scene(pair);
  if (!record.ok()) return RequireRefusal(record.status(), pair.key());
  Require(record->name == meaning.name && record->revision == meaning.revision,
          "a record is its key's");
}

void FuzzName(const server::KeyMeaning& meaning, const mvccpb::KeyValue& pair) {
  const auto name = server::EtcdValues(nullptr, Keys(), 1).Name(pair);
  if (!name.ok()) return RequireRefusal(name.status(), pair.key());
  Require(name->name == meaning.name, "a name is its key's");
}

void FuzzPair(ByteReader& data) {
  const bool makes_hash_right = data.TakeBelow(2) != 0;
  std::size_t key_size = data.Take<std::uint8_t>();
  const auto* const key = reinterpret_cast<const char*>(data.TakeBytes(&key_size));
  std::size_t value_size = SIZE_MAX;
  const auto* const value = reinterpret_cast<const char*>(data.TakeBytes(&value_size));
  mvccpb::KeyValue pair;
  pair.set_key(key, key_size);
  pair.set_value(value, value_size);
  const server::KeyMeaning meaning = Keys().MeaningOf(pair.key());
  if (meaning.kind == Kind::kOther) return;
  const server::KeyMeaning again = Keys().MeaningOf(KeyOf(meaning));
  Require(again.kind == meaning.kind && again.name == meaning.name &&
              again.revision == meaning.revision,
          "the server's own key means the same");
  if (meaning.kind == Kind::kName) FuzzName(meaning, pair);
  if (meaning.kind == Kind::kContent) FuzzContent(makes_hash_right, meaning, pair);
  if (meaning.kind == Kind::kScene) FuzzScene(makes_hash_right, meaning, pair);
}

}  // namespace
}  // namespace clearance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  clearance::fuzz::ByteReader data(bytes, size);
  clearance::fuzz::FuzzPair(data);
  return 0;
}
