// SPDX-License-Identifier: Apache-2.0
//
// One commit as one transaction of etcd.

#ifndef CLEARANCE_SERVER_ETCD_ETCD_COMMIT_H_
#define CLEARANCE_SERVER_ETCD_ETCD_COMMIT_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "etcd/rpc.pb.h"
#include "server/etcd/etcd_blobs.h"
#include "server/etcd/etcd_client.h"
#include "server/etcd/etcd_keys.h"
#include "server/storage/shared_store.h"

namespace clearance::server {

// etcd takes 128 operations in a transaction; a change is up to five, and a few are the commit's.
inline constexpr std::size_t kMostChangesOfCommit = 24;

// After which commit this one is to come, which process commits, and which of its commits it is.
struct CommitMark {
  CommitPlace base = 0;
  std::string writer;
  std::string commit;
  absl::Duration patience = kBulkPatience.in_all;  // for each chunk
};

// A transaction that makes the changes, and marks them, if the commit at the base is the last; else
// it reads which one is (the first response) and the mark (the second). Writes the chunks that it
// refers to.
absl::StatusOr<etcdserverpb::TxnRequest> MakeCommit(EtcdClient* client, const EtcdKeys& keys,
                                                    const CommitMark& mark,
                                                    const RegistryChanges& changes);

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_ETCD_ETCD_COMMIT_H_
