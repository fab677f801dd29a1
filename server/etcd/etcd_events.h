// SPDX-License-Identifier: Apache-2.0
//
// Assembles the events of a watch into the commits that caused them.

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "etcd/rpc.pb.h"
#include "server/etcd/etcd_client.h"
#include "server/etcd/etcd_keys.h"
#include "server/storage/shared_store.h"

namespace clearance::server {

// Thread-compatible.
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
  absl::StatusOr<FollowedCommit> CommitOf(const std::vector<mvccpb::Event>& events) const;

  EtcdClient* const client_;
  const EtcdKeys& keys_;
  std::vector<mvccpb::Event> gathered_;  // of one etcd revision
  absl::Status status_;
};

}  // namespace clearance::server
