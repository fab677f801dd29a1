// SPDX-License-Identifier: Apache-2.0

#include "server/etcd/etcd_store.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "clearance/store/v1/store.pb.h"

namespace clearance::server {
namespace {

constexpr std::uint32_t kFormatVersion = 1;

// etcd takes 128 operations in a transaction. A change needs up to five, and the commit itself a
// few.
constexpr std::size_t kMostChangesOfCommit = 24;

// Values of one page. Each content has up to kMostInlineBytes.
constexpr std::int64_t kPageValues = 64;

// For the first question to a member: a good answer takes milliseconds, and there are other
// members.
constexpr absl::Duration kQuickAnswer = absl::Milliseconds(250);
// For all members together, before the store is reported as not answering.
constexpr absl::Duration kQuickAnswers = absl::Seconds(2);
// For a change that tests whether any can be made: a slow success is one too.
constexpr absl::Duration kProbePatience = absl::Milliseconds(700);
// Bytes of a commit that reach a majority in a microsecond, for its time limit: 4 MB a second.
constexpr std::size_t kBytesAMicrosecond = 4;
// At the start, for requests as small as these. It may be the whole patience of the start, because
// no client is served yet.
constexpr EtcdClient::Patience kStartPatience = {kQuickAnswer, kBulkPatience.in_all};

std::string NewWriter() {
  std::random_device device;
  return absl::StrFormat("%08x%08x%08x%08x", device(), device(), device(), device());
}

// Returns why the changes were not made.
absl::Status NotMade(const absl::Status& status) {
  return absl::IsUnknown(status) ? absl::UnavailableError(absl::StrCat("etcd: ", status.message()))
                                 : status;
}

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

// Returns the outcome that a response to the transaction of MakeCommit reports.
absl::StatusOr<SharedStore::Outcome> OutcomeOf(const etcdserverpb::TxnResponse& response,
                                               const std::string& commit,
                                               const std::string& revision_key) {
  if (response.succeeded()) return SharedStore::Outcome{true, response.header().revision()};
  const auto& newest = response.responses(0).response_range();
  const auto& writer = response.responses(1).response_range();
  if (newest.kvs_size() != 1) return DamagedValue(revision_key, "is missing");
  store::v1::WriterValue last;
  if (writer.kvs_size() == 1) last.ParseFromString(writer.kvs(0).value());
  if (last.commit() == commit) return SharedStore::Outcome{true, writer.kvs(0).mod_revision()};
  return SharedStore::Outcome{false, newest.kvs(0).mod_revision()};
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

// Assembles the events of a watch into the commits that caused them. Thread-compatible.
class EtcdEvents {
 public:
  // Both arguments outlive this.
  EtcdEvents(EtcdClient* client, const EtcdKeys& keys) : client_(client), keys_(keys) {}

  // Hands over every complete commit. Returns false once `take` did, or once status() is not OK.
  bool Add(etcdserverpb::WatchResponse* response, const SharedStore::Take& take);

  const absl::Status& status() const { return status_; }

 private:
  // Hands over the gathered events.
  bool Finish(const SharedStore::Take& take) {
    if (gathered_.empty()) return true;
    auto commit = CommitOf(std::exchange(gathered_, {}));
    status_ = commit.status();
    return commit.ok() && (!commit->has_value() || take(**std::move(commit)));
  }
  // Returns none if the events are not those of a commit.
  absl::StatusOr<std::optional<FollowedCommit>> CommitOf(
      const std::vector<mvccpb::Event>& events) const;

  EtcdClient* const client_;
  const EtcdKeys& keys_;
  std::vector<mvccpb::Event> gathered_;  // of one etcd revision
  absl::Status status_;
};

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

}  // namespace

EtcdStore::EtcdStore(const EtcdConfig& config, std::unique_ptr<EtcdClient> client)
    : keys_(config.prefix),
      patience_(config.patience),
      client_(std::move(client)),
      writer_(NewWriter()) {}

EtcdStore::~EtcdStore() {
  if (commits_ == 0) return;
  etcdserverpb::TxnRequest request;
  for (const std::string& key : {keys_.Writer(writer_), keys_.Probe(writer_)})
    request.add_success()->mutable_request_delete_range()->set_key(key);
  client_->Txn(request, kQuickAnswer).IgnoreError();
}

absl::StatusOr<std::unique_ptr<EtcdStore>> EtcdStore::Open(const EtcdConfig& config,
                                                           StoreSeries* series,
                                                           const OnFailure& on_failure) {
  auto client = EtcdClient::Open(config, series);
  if (!client.ok()) return client.status();
  std::unique_ptr<EtcdStore> store(new EtcdStore(config, *std::move(client)));
  if (absl::Status status = store->PrepareFormat(on_failure); !status.ok()) return status;
  return store;
}

// Writes the format if there is none. It does not matter whether this server's or another server's
// came first.
absl::Status EtcdStore::PrepareFormat(const OnFailure& on_failure) {
  etcdserverpb::TxnRequest request;
  etcdserverpb::Compare* const compare = request.add_compare();
  compare->set_target(etcdserverpb::Compare::CREATE);
  compare->set_key(keys_.Format());
  compare->set_create_revision(0);
  store::v1::FormatValue format;
  format.set_version(kFormatVersion);
  etcdserverpb::PutRequest* const put = request.add_success()->mutable_request_put();
  put->set_key(keys_.Format());
  put->set_value(format.SerializeAsString());
  // The value of no revision is empty.
  request.add_success()->mutable_request_put()->set_key(keys_.Revision());
  const auto is_worth_a_try = [&](const absl::Status& failure) {
    return EtcdClient::IsInDoubt(failure) && (on_failure == nullptr || on_failure(failure));
  };
  const auto made = client_->Txn(request, kStartPatience, is_worth_a_try);
  if (!made.ok()) return made.status();
  const auto response = client_->Get(keys_.Format(), kStartPatience);
  if (!response.ok()) return response.status();
  if (response->kvs_size() != 1 || !format.ParseFromString(response->kvs(0).value()))
    return DamagedValue(keys_.Format(), "cannot be read");
  if (format.version() == kFormatVersion) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      keys_.Format(), " has format ", format.version(), " and this server knows ", kFormatVersion,
      "; run a server as new as the one that wrote it, or choose another --etcd_prefix"));
}

template <class Value, class VisitValue>
absl::Status EtcdStore::VisitRange(const KeyRange& range, Read<Value> read,
                                   const VisitValue& visit) const {
  const EtcdValues values(client_.get(), keys_, snapshot_);
  etcdserverpb::RangeRequest request;
  request.set_key(range.begin);
  request.set_range_end(range.end);
  request.set_limit(kPageValues);
  request.set_revision(snapshot_);
  while (true) {
    const auto page = client_->Range(request, kBulkPatience);
    if (!page.ok()) return page.status();
    for (const mvccpb::KeyValue& pair : page->kvs()) {
      auto value = (values.*read)(pair);
      absl::Status status = value.ok() ? visit(*std::move(value)) : value.status();
      if (!status.ok()) return status;
    }
    if (!page->more()) return absl::OkStatus();
    request.set_key(page->kvs(page->kvs_size() - 1).key() + std::string(1, '\0'));
  }
}

absl::StatusOr<StoredNames> EtcdStore::ReadNames() {
  const auto response = client_->Get(keys_.Revision(), kStartPatience);
  if (!response.ok()) return response.status();
  store::v1::RevisionValue revision;
  if (response->kvs_size() != 1 || !revision.ParseFromString(response->kvs(0).value()))
    return DamagedValue(keys_.Revision(), "cannot be read");
  snapshot_ = response->header().revision();
  place_ = response->kvs(0).mod_revision();
  StoredNames names;
  names.revision = revision.revision();
  absl::Status status =
      VisitRange(KeysUnder(keys_.Names()), &EtcdValues::Name, [&](StoredName name) {
        names.names.push_back(std::move(name));
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return names;
}

absl::Status EtcdStore::ReadContents(const Part& part, const Visit& visit) const {
  return VisitRange(keys_.ContentsOf(part), &EtcdValues::Content, visit);
}

absl::Status EtcdStore::ReadScenes(const VisitRecord& visit) {
  return VisitRange(KeysUnder(keys_.Scenes()), &EtcdValues::Scene, visit);
}

absl::StatusOr<StoredContent> EtcdStore::ReadContent(const std::string& digest) const {
  const auto response = client_->Get(keys_.Content(digest), kBulkPatience, snapshot_);
  if (!response.ok()) return response.status();
  if (response->kvs_size() != 1) return absl::NotFoundError(digest);
  return EtcdValues(client_.get(), keys_, snapshot_).Content(response->kvs(0));
}

std::size_t EtcdStore::most_changes() const { return kMostChangesOfCommit; }

absl::StatusOr<SharedStore::Outcome> EtcdStore::CommitAfter(CommitPlace base,
                                                            const RegistryChanges& changes) {
  if (changes.empty()) {
    const auto newest = NewestWithin(patience_);
    if (!newest.ok()) return NotMade(newest.status());
    return Outcome{*newest == base, *newest};
  }
  const std::string commit = std::to_string(++commits_);
  const auto request = MakeCommit(base, commit, changes);
  if (!request.ok()) return NotMade(request.status());
  return Decide(*request, commit);
}

absl::StatusOr<etcdserverpb::TxnRequest> EtcdStore::MakeCommit(
    CommitPlace base, const std::string& commit, const RegistryChanges& changes) const {
  CommitMaker maker(client_.get(), keys_, patience_);
  store::v1::RevisionValue revision;
  revision.set_revision(changes.revision);
  revision.set_after(base);
  maker.Put(keys_.Revision(), revision.SerializeAsString());
  store::v1::WriterValue writer;
  writer.set_commit(commit);
  maker.Put(keys_.Writer(writer_), writer.SerializeAsString());
  for (const std::string& digest : changes.dropped) {
    maker.Delete(keys_.Content(digest));
    maker.Delete(KeysUnder(keys_.ChunksOf(keys_.Content(digest)) + "/"));
  }
  for (const NamedShape& name : changes.names) {
    const std::string key = keys_.Name(name.name);
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
  maker.Read(keys_.Revision());
  maker.Read(keys_.Writer(writer_));
  return maker.Finish(base);
}

// A transaction without an answer may still be made later. Sending the same one again settles it:
// at most one of the two is made, because each changes what both compare. If neither can be made
// any more, the last commit of this process can be read.
absl::StatusOr<SharedStore::Outcome> EtcdStore::Decide(const etcdserverpb::TxnRequest& request,
                                                       const std::string& commit) {
  const absl::Duration of_member =
      kQuickAnswer + absl::Microseconds(request.ByteSizeLong() / kBytesAMicrosecond);
  const SteadyTime end = SteadyNow() + patience_;
  bool is_in_doubt = false;
  const auto is_worth_a_try = [&](const absl::Status& failure) {
    is_in_doubt = is_in_doubt || EtcdClient::IsInDoubt(failure);
    return is_in_doubt && SteadyNow() < end;
  };
  // The last try, too, has all of its time.
  const EtcdClient::Patience patience = {of_member, absl::InfiniteDuration()};
  const auto response = client_->Txn(request, patience, is_worth_a_try);
  if (response.ok()) return OutcomeOf(*response, commit, keys_.Revision());
  return is_in_doubt ? absl::UnknownError(response.status().message()) : response.status();
}

absl::Status EtcdStore::Probe() {
  etcdserverpb::TxnRequest request;
  request.add_success()->mutable_request_put()->set_key(keys_.Probe(writer_));
  return client_->Txn(request, kProbePatience).status();
}

absl::StatusOr<CommitPlace> EtcdStore::Newest() { return NewestWithin(kQuickAnswers); }

absl::StatusOr<CommitPlace> EtcdStore::NewestWithin(absl::Duration in_all) {
  const auto response = client_->Get(keys_.Revision(), {kQuickAnswer, in_all});
  if (!response.ok()) return response.status();
  if (response->kvs_size() != 1) return DamagedValue(keys_.Revision(), "is missing");
  const std::lock_guard lock(mutex_);
  const CommitPlace newest = response->kvs(0).mod_revision();
  // Also if the place went back, as it does if etcd is restored to an earlier state.
  if (newest == quiet_.place) quiet_.until = response->header().revision();
  return newest;
}

absl::Status EtcdStore::Follow(CommitPlace after, const Take& take) {
  const KeyRange range = keys_.Registry();
  etcdserverpb::WatchCreateRequest request;
  request.set_key(range.begin);
  request.set_range_end(range.end);
  {
    const std::lock_guard lock(mutex_);
    if (quiet_.place != after) quiet_ = {after, after};
    request.set_start_revision(quiet_.until + 1);
  }
  const auto take_and_note = [&](FollowedCommit commit) {
    {
      const std::lock_guard lock(mutex_);
      quiet_ = {commit.place, commit.place};
    }
    return take(std::move(commit));
  };
  request.set_fragment(true);
  EtcdEvents events(client_.get(), keys_);
  absl::Status status = client_->Watch(request, [&](etcdserverpb::WatchResponse* response) {
    return events.Add(response, take_and_note);
  });
  return events.status().ok() ? status : events.status();
}

}  // namespace clearance::server
