// SPDX-License-Identifier: Apache-2.0

#include "server/etcd/etcd_store.h"

#include <algorithm>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "clearance/store/v1/store.pb.h"
#include "server/etcd/etcd_values.h"

namespace clearance::server {
namespace {

constexpr std::uint32_t kFormatVersion = 1;

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

// Returns the outcome that a response to the transaction of MakeCommit reports.
absl::StatusOr<SharedStore::Outcome> OutcomeOf(const etcdserverpb::TxnResponse& response,
                                               const CommitMark& mark,
                                               const std::string& revision_key) {
  if (response.succeeded()) return SharedStore::Outcome{true, response.header().revision()};
  const auto& newest = response.responses(0).response_range();
  const auto& writer = response.responses(1).response_range();
  if (newest.kvs_size() != 1) return DamagedValue(revision_key, "is missing");
  store::v1::WriterValue last;
  if (writer.kvs_size() == 1) last.ParseFromString(writer.kvs(0).value());
  if (last.commit() == mark.commit) return SharedStore::Outcome{true, writer.kvs(0).mod_revision()};
  return SharedStore::Outcome{false, newest.kvs(0).mod_revision()};
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
  absl::Status status = store->MakeFormat(on_failure);
  if (status.ok()) status = store->CheckFormat();
  if (!status.ok()) return status;
  return store;
}

// It does not matter whether this server's or another server's format came first.
absl::Status EtcdStore::MakeFormat(const OnFailure& on_failure) {
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
  return client_->Txn(request, kStartPatience, is_worth_a_try).status();
}

absl::Status EtcdStore::CheckFormat() {
  const auto response = client_->Get(keys_.Format(), kStartPatience);
  if (!response.ok()) return response.status();
  store::v1::FormatValue format;
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

absl::StatusOr<SharedStore::Outcome> EtcdStore::CommitAfter(CommitPlace base,
                                                            const RegistryChanges& changes) {
  if (changes.empty()) {
    const auto newest = NewestWithin(patience_);
    if (!newest.ok()) return NotMade(newest.status());
    return Outcome{*newest == base, *newest};
  }
  const CommitMark mark = {base, writer_, std::to_string(++commits_), patience_};
  const auto request = MakeCommit(client_.get(), keys_, mark, changes);
  if (!request.ok()) return NotMade(request.status());
  return Decide(*request, mark);
}

// A transaction without an answer may still be made later. Sending the same one again settles it:
// at most one of the two is made, because each changes what both compare. If neither can be made
// any more, the last commit of this process can be read.
absl::StatusOr<SharedStore::Outcome> EtcdStore::Decide(const etcdserverpb::TxnRequest& request,
                                                       const CommitMark& mark) {
  const absl::Duration of_member =
      kQuickAnswer + absl::Microseconds(request.ByteSizeLong() / kBytesAMicrosecond);
  bool is_in_doubt = false;
  const auto may_be_made = [&](const absl::Status& failure) {
    is_in_doubt = is_in_doubt || EtcdClient::IsInDoubt(failure);
    return is_in_doubt;
  };
  const auto response = client_->Txn(request, {of_member, patience_}, may_be_made);
  if (response.ok()) return OutcomeOf(*response, mark, keys_.Revision());
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
