// SPDX-License-Identifier: Apache-2.0
//
// Shapes and scenes in etcd, shared by all servers of one prefix.

#pragma once

#include <mutex>

#include "server/config/server_config.h"
#include "server/etcd/etcd_client.h"
#include "server/etcd/etcd_values.h"
#include "server/observe/metrics.h"
#include "server/storage/shape_store.h"

namespace clearance::server {

class EtcdStore final : public SharedStore {
 public:
  // Receives the reason of a failed try, and returns whether to try again.
  using OnFailure = std::function<bool(const absl::Status& reason)>;

  // Creates an empty registry if there is none below the prefix. Fails with the status of etcd, or
  // with FAILED_PRECONDITION if a newer server has written there. `series` and `on_failure` may be
  // null.
  static absl::StatusOr<std::unique_ptr<EtcdStore>> Open(const EtcdConfig& config,
                                                         StoreSeries* series,
                                                         const OnFailure& on_failure = nullptr);
  // Deletes the keys that distinguish this process's commits from others'.
  ~EtcdStore() override;

  absl::StatusOr<StoredNames> ReadNames() override;
  absl::Status ReadContents(const Part& part, const Visit& visit) const override;
  absl::Status ReadScenes(const VisitRecord& visit) override;
  CommitPlace place() const override { return place_; }
  absl::StatusOr<StoredContent> ReadContent(const std::string& digest) const override;

  absl::StatusOr<Outcome> CommitAfter(CommitPlace base, const RegistryChanges& changes) override;
  absl::Status Probe() override;
  std::size_t most_changes() const override;
  absl::StatusOr<CommitPlace> Newest() override;
  absl::Status Follow(CommitPlace after, const Take& take) override;
  void Interrupt() override { client_->InterruptWatch(); }

 private:
  EtcdStore(const EtcdConfig& config, std::unique_ptr<EtcdClient> client);

  absl::Status PrepareFormat(const OnFailure& on_failure);
  // Visits, page by page, all values that are in the range as of the snapshot.
  template <class Value>
  using Read = absl::StatusOr<Value> (EtcdValues::*)(const mvccpb::KeyValue&) const;
  template <class Value, class VisitValue>
  absl::Status VisitRange(const KeyRange& range, Read<Value> read, const VisitValue& visit) const;
  absl::StatusOr<CommitPlace> NewestWithin(absl::Duration in_all);
  // Returns a transaction that makes the changes, marked with `commit`, if the commit at the base
  // is the last. Otherwise it reads the last commit (the first response) and the last mark of this
  // process (the second). Writes the chunks that it refers to.
  absl::StatusOr<etcdserverpb::TxnRequest> MakeCommit(CommitPlace base, const std::string& commit,
                                                      const RegistryChanges& changes) const;
  // Tries until the outcome is known, or the patience is over.
  absl::StatusOr<Outcome> Decide(const etcdserverpb::TxnRequest& request,
                                 const std::string& commit);

  const EtcdKeys keys_;
  const absl::Duration patience_;
  const std::unique_ptr<EtcdClient> client_;
  const std::string writer_;
  std::uint64_t commits_ = 0;
  // The state that is read.
  std::int64_t snapshot_ = 0;
  CommitPlace place_ = 0;

  // The etcd revision up to which no commit came after the last one handed over. Following from
  // there misses nothing, and history may be compacted up to there.
  struct Quiet {
    CommitPlace place = 0;
    std::int64_t until = 0;
  };
  std::mutex mutex_;  // guards quiet_
  Quiet quiet_;
};

}  // namespace clearance::server
