// SPDX-License-Identifier: Apache-2.0
//
// One commit as one transaction of etcd, and the commits of others as the events that they cause.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "etcd/rpc.pb.h"
#include "server/etcd/etcd_client.h"
#include "server/etcd/etcd_values.h"
#include "server/storage/shape_store.h"

namespace clearance::server {

// etcd takes 128 operations in a transaction. A change needs up to five, and the commit itself a
// few.
inline constexpr std::size_t kMostChangesOfCommit = 24;

// Names the commit that this one follows, the process that commits, and this commit among its
// commits.
struct CommitMark {
  CommitPlace base = 0;
  std::string writer;
  std::string commit;
  absl::Duration patience = kBulkPatience.in_all;  // for each chunk
};

// Returns a transaction that makes and marks the changes if the commit at the base is the last.
// Otherwise it reads the last commit (the first response) and the mark (the second). Writes the
// chunks that it refers to.
absl::StatusOr<etcdserverpb::TxnRequest> MakeCommit(EtcdClient* client, const EtcdKeys& keys,
                                                    const CommitMark& mark,
                                                    const RegistryChanges& changes);

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
  bool Finish(const SharedStore::Take& take);
  // Returns none if the events are not those of a commit.
  absl::StatusOr<std::optional<FollowedCommit>> CommitOf(
      const std::vector<mvccpb::Event>& events) const;

  EtcdClient* const client_;
  const EtcdKeys& keys_;
  std::vector<mvccpb::Event> gathered_;  // of one etcd revision
  absl::Status status_;
};

}  // namespace clearance::server
