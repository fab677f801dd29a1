// SPDX-License-Identifier: Apache-2.0

#include "server/etcd/etcd_events.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "clearance/store/v1/store.pb.h"
#include "server/etcd/etcd_values.h"

namespace clearance::server {
namespace {

// Gathers the events of one commit.
class CommitReader {
 public:
  CommitReader(const EtcdKeys& keys, const EtcdValues& values, FollowedCommit* commit)
      : keys_(keys), values_(values), commit_(commit) {}

  absl::Status Add(const mvccpb::Event& event);
  void Finish();
  // Only a commit writes the registry's revision.
  bool is_commit() const { return is_commit_; }

 private:
  absl::Status AddPut(const KeyMeaning& key, const mvccpb::KeyValue& value);
  void AddDeletion(const KeyMeaning& key);
  absl::Status AddRevision(const mvccpb::KeyValue& value);

  const EtcdKeys& keys_;
  const EtcdValues& values_;
  FollowedCommit* const commit_;
  // Records of each scene with an event; none if the scene was deleted.
  std::map<std::string, std::vector<SceneRecord>> scenes_;
  bool is_commit_ = false;
};

absl::Status CommitReader::Add(const mvccpb::Event& event) {
  const KeyMeaning key = keys_.MeaningOf(event.kv().key());
  commit_->bytes += event.kv().key().size() + event.kv().value().size();
  if (event.type() == mvccpb::Event::PUT) return AddPut(key, event.kv());
  AddDeletion(key);
  return absl::OkStatus();
}

absl::Status CommitReader::AddRevision(const mvccpb::KeyValue& value) {
  store::v1::RevisionValue revision;
  if (!revision.ParseFromString(value.value())) return DamagedValue(value.key(), "cannot be read");
  commit_->revision = revision.revision();
  commit_->after = revision.after();
  is_commit_ = true;
  return absl::OkStatus();
}

absl::Status CommitReader::AddPut(const KeyMeaning& key, const mvccpb::KeyValue& value) {
  switch (key.kind) {
    case KeyMeaning::Kind::kRevision:
      return AddRevision(value);
    case KeyMeaning::Kind::kName: {
      auto name = values_.Name(key, value);
      if (!name.ok()) return name.status();
      commit_->names.push_back(*std::move(name));
      break;
    }
    case KeyMeaning::Kind::kContent: {
      auto content = values_.Content(key, value);
      if (!content.ok()) return content.status();
      commit_->bytes += content->shape.size() + content->body.size();
      commit_->contents.push_back(*std::move(content));
      break;
    }
    case KeyMeaning::Kind::kScene: {
      auto record = values_.Scene(key, value);
      if (!record.ok()) return record.status();
      commit_->bytes += record->change.size();
      scenes_[key.name].push_back(*std::move(record));
      break;
    }
    case KeyMeaning::Kind::kOther:
      break;
  }
  return absl::OkStatus();
}

void CommitReader::AddDeletion(const KeyMeaning& key) {
  if (key.kind == KeyMeaning::Kind::kName) commit_->dropped_names.push_back(key.name);
  if (key.kind == KeyMeaning::Kind::kScene) scenes_.try_emplace(key.name);
}

void CommitReader::Finish() {
  for (auto& [name, records] : scenes_) {
    if (records.empty()) {
      commit_->scenes.push_back({.name = name, .change = {}});
      continue;
    }
    std::ranges::sort(records, {}, &SceneRecord::revision);
    std::ranges::move(records, std::back_inserter(commit_->scenes));
  }
}

}  // namespace

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
  if (absl::IsNotFound(status_)) {
    status_ = absl::OkStatus();
    return true;
  }
  return commit.ok() && take(*std::move(commit));
}

// NOT_FOUND if the events are not those of a commit.
absl::StatusOr<FollowedCommit> EtcdEvents::CommitOf(
    const std::vector<mvccpb::Event>& events) const {
  FollowedCommit commit;
  commit.place = events.front().kv().mod_revision();
  const EtcdValues values(client_, keys_, commit.place);
  CommitReader reader(keys_, values, &commit);
  for (const mvccpb::Event& event : events) {
    if (absl::Status status = reader.Add(event); !status.ok()) return status;
  }
  reader.Finish();
  if (!reader.is_commit()) return absl::NotFoundError("no commit");
  return commit;
}

}  // namespace clearance::server
