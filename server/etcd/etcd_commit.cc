// SPDX-License-Identifier: Apache-2.0

#include "server/etcd/etcd_commit.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "clearance/store/v1/store.pb.h"

namespace clearance::server {
namespace {

// Maximum bytes of all values of a transaction: etcd takes 1.5 MiB a request.
constexpr std::size_t kMostValueBytes = std::size_t{1} << 20;

// Gathers operations. etcd refuses several operations on one key.
class CommitMaker {
 public:
  CommitMaker(EtcdClient* client, const EtcdKeys& keys, absl::Duration patience)
      : client_(client),
        keys_(keys),
        patience_({std::min(kBulkPatience.of_member, patience), patience}) {}

  void Put(std::string key, std::string value) {
    value_bytes_ += value.size();
    etcdserverpb::PutRequest* const put = txn_.add_success()->mutable_request_put();
    put->set_key(std::move(key));
    put->set_value(std::move(value));
  }
  void Delete(const std::string& key) {
    txn_.add_success()->mutable_request_delete_range()->set_key(key);
  }
  void Delete(const KeyRange& range) {
    auto* const erase = txn_.add_success()->mutable_request_delete_range();
    erase->set_key(range.begin);
    erase->set_range_end(range.end);
  }
  void Read(const std::string& key) { txn_.add_failure()->mutable_request_range()->set_key(key); }

  absl::Status AddContent(const ShapeContent& content);
  // Adds the records of one scene, in their order.
  absl::Status AddScene(const std::string& name, const std::vector<const SceneRecord*>& records);

  etcdserverpb::TxnRequest Finish(CommitPlace base) {
    etcdserverpb::Compare* const compare = txn_.add_compare();
    compare->set_target(etcdserverpb::Compare::MOD);
    compare->set_key(keys_.Revision());
    compare->set_mod_revision(base);
    return std::move(txn_);
  }

 private:
  // Returns a place with the bytes that are left for values, and never much for one value.
  BlobPlace PlaceOf(const std::string& key) const {
    const std::size_t left = kMostValueBytes - std::min(kMostValueBytes, value_bytes_);
    return {keys_.ChunksOf(key), std::min(kMostInlineBytes, left), patience_};
  }
  // Deletes all keys of a scene in this range, with their chunks.
  void DeleteRecords(const std::string& begin, const std::string& end) {
    if (begin >= end) return;
    Delete(KeyRange{begin, end});
    Delete(KeyRange{keys_.ChunksOf(begin), keys_.ChunksOf(end)});
  }

  EtcdClient* const client_;
  const EtcdKeys& keys_;
  const EtcdClient::Patience patience_;
  etcdserverpb::TxnRequest txn_;
  std::size_t value_bytes_ = 0;
};

absl::Status CommitMaker::AddContent(const ShapeContent& content) {
  const std::string key = keys_.Content(content.digest);
  auto value = ContentValueOf(client_, PlaceOf(key), content);
  if (!value.ok()) return value.status();
  Put(key, *std::move(value));
  return absl::OkStatus();
}

// Drops the records before the last whole, or before the end of the scene: they no longer count.
absl::Status CommitMaker::AddScene(const std::string& name,
                                   const std::vector<const SceneRecord*>& records) {
  const KeyRange all = KeysUnder(keys_.ScenesOf(name));
  absl::Span<const SceneRecord* const> kept = records;
  const auto last = std::find_if(records.rbegin(), records.rend(), [](const SceneRecord* record) {
    return record->is_whole || record->revision == 0;
  });
  if (last != records.rend()) {
    const auto after = static_cast<std::size_t>(last - records.rbegin());
    kept = kept.last(after + ((*last)->revision == 0 ? 0 : 1));
    DeleteRecords(all.begin, kept.empty() ? all.end : keys_.Scene(name, kept[0]->revision));
    if (!kept.empty()) DeleteRecords(keys_.Scene(name, kept.back()->revision + 1), all.end);
  }
  for (const SceneRecord* const record : kept) {
    const std::string key = keys_.Scene(name, record->revision);
    auto value = SceneValueOf(client_, PlaceOf(key), *record);
    if (!value.ok()) return value.status();
    Put(key, *std::move(value));
  }
  return absl::OkStatus();
}

// The parts of a commit, while its events are read.
struct CommitParts {
  FollowedCommit commit;
  // Records of each scene with an event; none if the scene was deleted.
  std::map<std::string, std::vector<SceneRecord>> scenes;
  bool is_commit = false;  // only a commit writes the registry's revision
};

template <class Value>
absl::Status Append(absl::StatusOr<Value> read, std::vector<Value>* values) {
  if (!read.ok()) return read.status();
  values->push_back(*std::move(read));
  return absl::OkStatus();
}

absl::Status AddPut(const KeyMeaning& key, const mvccpb::KeyValue& value, const EtcdValues& values,
                    CommitParts* parts) {
  FollowedCommit& commit = parts->commit;
  store::v1::RevisionValue revision;
  switch (key.kind) {
    case KeyMeaning::Kind::kRevision:
      if (!revision.ParseFromString(value.value()))
        return DamagedValue(value.key(), "cannot be read");
      commit.revision = revision.revision();
      commit.after = revision.after();
      parts->is_commit = true;
      return absl::OkStatus();
    case KeyMeaning::Kind::kName:
      return Append(values.Name(value), &commit.names);
    case KeyMeaning::Kind::kContent:
      return Append(values.Content(value), &commit.contents);
    case KeyMeaning::Kind::kScene:
      return Append(values.Scene(value), &parts->scenes[key.name]);
    default:
      return absl::OkStatus();
  }
}

}  // namespace

absl::StatusOr<etcdserverpb::TxnRequest> MakeCommit(EtcdClient* client, const EtcdKeys& keys,
                                                    const CommitMark& mark,
                                                    const RegistryChanges& changes) {
  CommitMaker maker(client, keys, mark.patience);
  store::v1::RevisionValue revision;
  revision.set_revision(changes.revision);
  revision.set_after(mark.base);
  maker.Put(keys.Revision(), revision.SerializeAsString());
  store::v1::WriterValue writer;
  writer.set_commit(mark.commit);
  maker.Put(keys.Writer(mark.writer), writer.SerializeAsString());
  for (const std::string& digest : changes.dropped) {
    maker.Delete(keys.Content(digest));
    maker.Delete(KeysUnder(keys.ChunksOf(keys.Content(digest)) + "/"));
  }
  for (const NamedShape& name : changes.names) {
    const std::string key = keys.Name(name.name);
    if (name.content == nullptr) {
      maker.Delete(key);
    } else {
      maker.Put(key, NameValueOf(name));
    }
  }
  for (const ShapeContentPtr& content : changes.added) {
    if (absl::Status status = maker.AddContent(*content); !status.ok()) return status;
  }
  std::map<std::string, std::vector<const SceneRecord*>> of_scene;
  for (const SceneRecord& record : changes.scenes) of_scene[record.name].push_back(&record);
  for (const auto& [name, records] : of_scene) {
    if (absl::Status status = maker.AddScene(name, records); !status.ok()) return status;
  }
  maker.Read(keys.Revision());
  maker.Read(keys.Writer(mark.writer));
  return maker.Finish(mark.base);
}

bool EtcdEvents::Add(etcdserverpb::WatchResponse* response, const SharedStore::Take& take) {
  if (response->canceled()) {
    const bool is_compacted = response->compact_revision() > 0;
    status_ = is_compacted
                  ? absl::OutOfRangeError("etcd has compacted what comes next")
                  : absl::UnavailableError(absl::StrCat("watch: ", response->cancel_reason()));
    return false;
  }
  for (mvccpb::Event& event : *response->mutable_events()) {
    const bool is_next =
        !gathered_.empty() && gathered_.front().kv().mod_revision() != event.kv().mod_revision();
    if (is_next && !Finish(take)) return false;
    gathered_.push_back(std::move(event));
  }
  return response->fragment() || Finish(take);
}

bool EtcdEvents::Finish(const SharedStore::Take& take) {
  if (gathered_.empty()) return true;
  auto commit = CommitOf(std::exchange(gathered_, {}));
  status_ = commit.status();
  return commit.ok() && (!commit->has_value() || take(**std::move(commit)));
}

absl::StatusOr<std::optional<FollowedCommit>> EtcdEvents::CommitOf(
    const std::vector<mvccpb::Event>& events) const {
  CommitParts parts;
  FollowedCommit& commit = parts.commit;
  commit.place = events.front().kv().mod_revision();
  const EtcdValues values(client_, keys_, commit.place);
  for (const mvccpb::Event& event : events) {
    const mvccpb::KeyValue& value = event.kv();
    const KeyMeaning key = keys_.MeaningOf(value.key());
    commit.bytes += value.key().size() + value.value().size();
    if (event.type() == mvccpb::Event::PUT) {
      if (absl::Status status = AddPut(key, value, values, &parts); !status.ok()) return status;
    } else if (key.kind == KeyMeaning::Kind::kName) {
      commit.dropped_names.push_back(key.name);
    } else if (key.kind == KeyMeaning::Kind::kScene) {
      parts.scenes.try_emplace(key.name);
    }
  }
  for (const StoredContent& content : commit.contents)
    commit.bytes += content.shape.size() + content.body.size();
  for (auto& [name, records] : parts.scenes) {
    for (const SceneRecord& record : records) commit.bytes += record.change.size();
    if (records.empty()) commit.scenes.push_back({.name = name, .change = {}});
    std::ranges::sort(records, {}, &SceneRecord::revision);
    std::ranges::move(records, std::back_inserter(commit.scenes));
  }
  if (!parts.is_commit) return std::nullopt;
  return std::move(commit);
}

}  // namespace clearance::server
