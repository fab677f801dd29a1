// SPDX-License-Identifier: Apache-2.0

#include "server/etcd/etcd_commit.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "clearance/store/v1/store.pb.h"
#include "server/etcd/etcd_values.h"

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
  absl::Status AddScenes(const std::vector<SceneRecord>& records);

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
  absl::Status AddScene(const std::string& name, const std::vector<const SceneRecord*>& records);
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

absl::Status CommitMaker::AddScenes(const std::vector<SceneRecord>& records) {
  std::map<std::string, std::vector<const SceneRecord*>> of_scene;
  for (const SceneRecord& record : records) of_scene[record.name].push_back(&record);
  for (const auto& [name, its] : of_scene) {
    if (absl::Status status = AddScene(name, its); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// Drops the records before the last whole, or before the end of the scene: they no longer count.
absl::Status CommitMaker::AddScene(const std::string& name,
                                   const std::vector<const SceneRecord*>& records) {
  const KeyRange all = KeysUnder(keys_.ScenesOf(name));
  std::size_t first = 0;
  bool begins_anew = false;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const bool is_end = records[i]->revision == 0;
    if (!is_end && !records[i]->is_whole) continue;
    begins_anew = true;
    first = is_end ? i + 1 : i;
  }
  if (begins_anew) {
    const bool is_gone = first == records.size();
    DeleteRecords(all.begin, is_gone ? all.end : keys_.Scene(name, records[first]->revision));
    if (!is_gone) DeleteRecords(keys_.Scene(name, records.back()->revision + 1), all.end);
  }
  for (std::size_t i = first; i < records.size(); ++i) {
    const std::string key = keys_.Scene(name, records[i]->revision);
    auto value = SceneValueOf(client_, PlaceOf(key), *records[i]);
    if (!value.ok()) return value.status();
    Put(key, *std::move(value));
  }
  return absl::OkStatus();
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
  if (absl::Status status = maker.AddScenes(changes.scenes); !status.ok()) return status;
  maker.Read(keys.Revision());
  maker.Read(keys.Writer(mark.writer));
  return maker.Finish(mark.base);
}

}  // namespace clearance::server
