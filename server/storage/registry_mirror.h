// SPDX-License-Identifier: Apache-2.0
//
// Brings the changes of other servers from the shared registry to the one in memory.

#pragma once

#include "absl/status/status.h"
#include "server/storage/shared_store.h"

namespace clearance::server {

// Called only by the ledger's thread, in the order of the commits, with no change drafted.
class RegistryMirror {
 public:
  virtual ~RegistryMirror() = default;

  // Applies the commit, all of it or nothing: DATA_LOSS if a part of it cannot be read.
  virtual absl::Status Apply(const FollowedCommit& commit) = 0;

  // Makes the registry equal to the store, whatever it was before, by applying only the difference.
  // Reads the store from ReadNames() on. A failure changes nothing.
  virtual absl::Status Reload(SharedStore* store) = 0;
};

}  // namespace clearance::server
