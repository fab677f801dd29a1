// SPDX-License-Identifier: Apache-2.0
//
// How the registry in memory becomes what others have made of the shared one.

#ifndef CLEARANCE_SERVER_STORAGE_REGISTRY_MIRROR_H_
#define CLEARANCE_SERVER_STORAGE_REGISTRY_MIRROR_H_

#include "absl/status/status.h"
#include "server/storage/shared_store.h"

namespace clearance::server {

// Called by the ledger's thread alone, in the order of the commits, with no change drafted.
class RegistryMirror {
 public:
  virtual ~RegistryMirror() = default;

  // Makes the commit, all of it or nothing: DATA_LOSS where something of it cannot be read.
  virtual absl::Status Apply(const FollowedCommit& commit) = 0;

  // Makes the registry what the store holds, whatever it was: the difference alone is made. Reads
  // the store from ReadNames() on. Of a failure nothing has changed.
  virtual absl::Status Reload(SharedStore* store) = 0;
};

}  // namespace clearance::server

#endif  // CLEARANCE_SERVER_STORAGE_REGISTRY_MIRROR_H_
