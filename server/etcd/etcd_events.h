// SPDX-License-Identifier: Apache-2.0
//
// What a watch tells, put together again to the commits it came from.

#ifndef CLEARANCE_SERVER_ETCD_ETCD_EVENTS_H_
#define CLEARANCE_SERVER_ETCD_ETCD_EVENTS_H_

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
  // Both outlive this.
  EtcdEvents(EtcdClient* client, const EtcdKeys& keys) : client_(client), keys_(keys) {}

  // Hands over every commit that is whole. False once `take` said so, or status() is not OK.
  bool Add(etcdserverpb::WatchResponse* response, const SharedStore::Take& take);

  const absl::Status& status() const { return status_; }

 private:
  // Hands over what is gathered.
  bool Finish(const SharedStore::Take& take);
  absl::StatusOr<FollowedCommit> CommitOf(const std::vector<mvccpb::Event>& events) const;

  EtcdClient* const client_;
  const EtcdKeys& keys_;
  std::vector<mvccpb::Event> gathered_;  // of one etcd revision
  absl::Status status_;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_ETCD_ETCD_EVENTS_H_
